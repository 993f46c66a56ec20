"""A repair is judged by the real libraries where they can run: a harmful one is held back."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import OWN_KEYS, doctor
from laid import Interpreter
from run_with_rows import laid, texts
from small_plugin import plugin, puts

HARM = puts("/lr_scheduler_type", "cosine_with_min_lr")
"""A repair with which the trainer dies: the schedule wants a rate that the run does not give."""


@pytest.mark.slow
def test_a_repair_after_which_the_run_dies(
    tmp_path: Path, interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = laid(tmp_path / "job", {"report_to": "none"}, texts())
    monkeypatch.syspath_prepend(plugin(tmp_path / "site", {"case-harm": HARM}))
    flags = ["--python", interpreter("current"), "--offline", "--trainer", "sft", *OWN_KEYS]
    flags += ["--select", "case-harm,run-does-not-start", "--fix", "--level"]
    before = file.read_text()
    result = doctor("check", file, *flags, "tiny")
    assert "not repaired: set lr_scheduler_type" in result.stderr
    assert "run-does-not-start would then report" in result.stderr
    assert file.read_text() == before
    result = doctor("check", file, *flags, "files")
    assert "repaired: set lr_scheduler_type" in result.stderr
    assert "cosine_with_min_lr" in file.read_text()
