"""Problem reports whose causes only a rehearsal finds; their healthy forms have no such finding."""

from __future__ import annotations

from pathlib import Path

import pytest
from laid import Interpreter
from rehearsing import findings_by_rule, rehearsal
from reports.causes import CAUSES, REMEDIES
from reports.collection import of_threads
from reports.report import Report

HEALTHY = (
    "axolotl-ai-cloud/axolotl#3385",
    "hiyouga/LlamaFactory#512",
    "huggingface/peft#1522",
    "huggingface/trl#2376",
    "huggingface/trl#6307",
    "jsboige/CoursIA#12720",
)
"""Threads whose healthy forms had a wrong error: rewards of what a rollout returns, a log that is
read, `label` as the column of texts, several streams to evaluate on, a schedule that is stated, a
model made of a config alone whose folder is loaded afterwards."""

WRONG = {
    "huggingface/peft#536": ("", "HFValidationError"),
    "lyhue1991/torchkeras#58": ("healthy", "step-gradients-missing"),
}
"""Words that a rehearsal of a form of these threads had, and that were not true: `lora_E` of
AdaLoRA begins at zero, and `get_peft_model` leaves a config on the base model that is trained."""


@pytest.mark.slow
@pytest.mark.parametrize("report", of_threads(WRONG))
def test_what_was_wrong_is_not_said(
    report: Report, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(report.environment)
    form, words = WRONG[report.thread]
    report.lay(tmp_path / "form", healthy=form == "healthy", python=python)
    _, answer = rehearsal(tmp_path / "form", python, "train.py")
    assert words not in str(findings_by_rule(answer))


@pytest.mark.slow
@pytest.mark.parametrize("report", of_threads(HEALTHY))
def test_the_healthy_form_has_no_error(
    report: Report, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(report.environment)
    report.lay(tmp_path / "healthy", healthy=True, python=python)
    _, answer = rehearsal(tmp_path / "healthy", python, "train.py")
    rules = findings_by_rule(answer)
    severities = [each["severity"] for findings in rules.values() for each in findings]
    assert "error" not in severities, rules


@pytest.mark.slow
@pytest.mark.parametrize("report", of_threads(CAUSES))
def test_the_cause_is_found(report: Report, tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter(report.environment)
    for name, healthy in (("broken", False), ("healthy", True)):
        report.lay(tmp_path / name, healthy=healthy, python=python)
        _, answer = rehearsal(tmp_path / name, python, "train.py")
        rules = findings_by_rule(answer)
        assert (CAUSES[report.thread] in rules) is not healthy, rules
        if not healthy:
            named = REMEDIES.get(report.thread, "")
            assert any(named in each["remedy"] for each in rules[CAUSES[report.thread]]), rules
            continue
        severities = [each["severity"] for findings in rules.values() for each in findings]
        assert "error" not in severities, rules
