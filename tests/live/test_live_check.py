"""`trl_doctor.check` without libraries: what it takes, and how its report is put together."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import trl_doctor
from trl_doctor.checkup.report import Check, Level, TargetReport
from trl_doctor.checkup.verdict import Verdict
from trl_doctor.files.target import LIVE
from trl_doctor.live.check import _with_row
from trl_doctor.probes.answers.segment import Segment


def test_the_first_row_is_in_the_report() -> None:
    row = (Segment("prompt", "Hi", 2, False), Segment("completion", "Ho", 1, True))
    report = TargetReport("SFTConfig", "a trainer", Verdict("passed"))
    live: Any = SimpleNamespace(name="SFTTrainer", first_row=row)
    assert len(_with_row(report, live).first_rows) == 1
    without: Any = SimpleNamespace(name="GRPOTrainer", first_row=())
    assert _with_row(report, without).first_rows == ()
    assert "passed" in str(_with_row(report, without))


def test_a_report_says_what_is_left_out_of_a_look() -> None:
    asked = Level("files", because="a live trainer is only read")
    skipped = Check("a-rule", "skipped", "a live trainer is only read", ())
    report = TargetReport("SFTTrainer", LIVE, Verdict("passed"), level=asked,
                          checks=(skipped,))  # fmt: skip
    live: Any = SimpleNamespace(name="SFTTrainer", first_row=())
    text = str(_with_row(report, live))
    assert "1 check needs more than a look: a live trainer is only read" in text
    assert "real libraries" not in text


def test_what_is_no_trainer_is_refused() -> None:
    trainer = SimpleNamespace(model=None, args=None)
    wrong: Any = "warnin"
    with pytest.raises(ValueError, match="fail_on is error, warning, note or None, not 'warnin'"):
        trl_doctor.check(trainer, fail_on=wrong)
    with pytest.raises(TypeError, match="check takes a trainer, not str"):
        trl_doctor.check("SFTTrainer")
