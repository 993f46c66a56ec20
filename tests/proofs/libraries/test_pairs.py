"""Pairs of trl and transformers that fail: whose fault it is, and how they are written down."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from commands import checks
from laid import ROOT, Interpreter

PAIRS = ROOT / "trl_doctor/data/pairs.json"
ERROR = "'NoneType' object has no attribute 'apply'"
TOGETHER = "trl-fails-with-this-transformers"
STEP, IMPORT = "the first step", "import"
OLD = "cannot import name 'x' from 'transformers'"


@pytest.mark.environment("no-triton")
@pytest.mark.slow
def test_a_missing_triton_is_not_the_candidates_fault(interpreter: Interpreter) -> None:
    checks = examined(interpreter("no-triton"))
    (pair,) = checks[TOGETHER]["findings"]
    assert pair["message"].startswith("trl 1.15.0 with transformers 5.23.0 failed in our tests")
    assert pair["severity"] == "warning"
    (healthy,) = checks["environment-cannot-train"]["findings"]
    assert ERROR in healthy["message"]
    assert "not even a healthy model" in healthy["message"]
    assert checks["step-raises"]["state"] == "skipped"
    assert ERROR in checks["step-raises"]["reason"]
    rules = {rule for rule, check in checks.items() if check["state"] in ("found", "crashed")}
    assert rules == {TOGETHER, "environment-cannot-train"}


@pytest.mark.slow
def test_the_next_release_steps_there(interpreter: Interpreter) -> None:
    checks = examined(interpreter("current"))
    states = {rule: checks[rule]["state"] for rule in (TOGETHER, "step-raises")}
    assert states == {TOGETHER: "clear", "step-raises": "clear"}
    assert checks["environment-cannot-train"]["state"] == "clear"


def test_pairs_are_written_in_the_files_layout(script: ModuleType) -> None:
    text, pairs = PAIRS.read_text("utf-8"), script.known()
    assert script.laid_out(text, pairs) == text
    new = script.laid_out(text, {**pairs, script.pair("1.15.0+4.9.0"): "ran"})
    assert f'  "1.15.0": {{"4.9.0": "ran", {row("1.15.0")}' in new.splitlines()
    assert len(new.splitlines()) == len(text.splitlines())


@pytest.mark.parametrize(
    ("when", "text", "name"),
    [
        (STEP, f"{ERROR}, raised at /a/trl/trainer/utils.py:9 in f", "no-triton"),
        (STEP, f"{ERROR}, raised at /a/peft/utils.py:9 in f", ""),
        (IMPORT, "No module named 'mergekit'", "tuple"),
        (STEP, "No module named 'vllm'", ""),
        (IMPORT, "No module named 'requests'", ""),
        (IMPORT, f"{OLD}; trl requires transformers>=4.56.2", "too-old"),
        (IMPORT, OLD, ""),
    ],
)
def test_an_error_is_named_only_where_it_is_known(
    when: str, text: str, name: str, script: ModuleType
) -> None:
    assert script.kind(script.Error(when, text)) == name


def test_every_failure_of_the_file_has_a_message(script: ModuleType) -> None:
    assert set(script.SIGNS) == set(json.loads(PAIRS.read_text("utf-8"))["failures"])


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script that extends the file of pairs."""
    monkeypatch.syspath_prepend(ROOT / "history")
    return importlib.import_module("pairs")


def row(trl: str) -> str:
    """The rest of the line of a release in the file, after its brace."""
    (line,) = (text for text in PAIRS.read_text("utf-8").splitlines() if f'"{trl}": {{' in text)
    return line.partition("{")[2]


def examined(python: Path) -> dict[str, dict[str, Any]]:
    """What the doctor reports about the healthy GRPO run, by rule."""
    return checks(ROOT / "fixtures/grpo.yaml", python, "--level", "tiny")
