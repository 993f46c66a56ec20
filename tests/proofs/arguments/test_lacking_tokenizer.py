"""Trainers that load no tokenizer themselves: what kills the real script is found in its text."""

from __future__ import annotations

from pathlib import Path

import pytest
from laid import Interpreter
from reports.preference import LOADED, SCORING
from reports.report import PREFERENCES, Report, errors, findings_of_checks, real, script


@pytest.mark.slow
@pytest.mark.parametrize(("trainer", "environment"), [("DPO", "grpo-first"), ("ORPO", "four")])
def test_a_tokenizer_has_to_be_given(
    trainer: str, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    sign, rule = "processing_class must be specified", "constructor-lacks-tokenizer"
    before = {
        "train.py": script(trainer, {}, {"model": "model"}, before=LOADED),
        "rows.jsonl": PREFERENCES,
    }
    after = {"train.py": script(trainer, {}, SCORING, before=LOADED)}
    report, python = Report("", environment, sign, rule, before, after), interpreter(environment)
    broken, well = (
        report.lay(tmp_path / str(healthy), healthy=healthy, python=python)
        for healthy in (False, True)
    )
    error = findings_of_checks(python, [broken, well], "files")
    assert sign in real(python, broken.parent).stderr
    assert rule in {name.split(":")[0] for name in errors(error[0])}
    process = real(python, well.parent)
    assert process.returncode == 0, process.stderr[-2000:]
    assert not errors(error[1])
