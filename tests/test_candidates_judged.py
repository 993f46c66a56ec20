"""How the differential benchmark compares the doctor's report with what the real command did."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
SHAPES = "size mismatch for model.layers.0.self_attn.k_proj.weight: copying a param"


def verdict(
    folder: Path, ran: dict[str, Any], *errors: tuple[str, str], silent: bool = False
) -> Any:
    """What is judged of a candidate with one change, where the doctor had these errors."""
    changes = [{"name": "c", "words": ["the_key"], "silent": silent, "fault": True}]
    candidate = {"trainer": "sft", "architecture": "llama", "changes": changes}
    (folder / "candidate.json").write_text(json.dumps(candidate))
    findings = [
        {"rule": rule, "state": "found", "findings": [
            {"severity": "error", "message": message, "evidence": [], "fix": None}
        ]}
        for rule, message in errors
    ]  # fmt: skip
    return importlib.import_module("candidates_judged").judge(
        folder, ran, {"checks": findings}, None
    )


@pytest.mark.parametrize(
    ("ran", "error", "silent", "false"),
    [
        ({}, ("argument-unknown", "no save_strtegy"), False, True),
        ({"dropped": ["save_strtegy"]}, ("argument-unknown", "no save_strtegy"), False, False),
        ({"dropped": ["save_strtegy"]}, ("argument-unknown", "no max_length"), False, True),
        ({"not_finite": True}, ("step-loss-not-finite", "no finite loss"), False, False),
        ({}, ("data-row-refused", "the_key of row 8"), True, False),
        ({}, ("data-row-refused", "row 8"), True, True),
    ],
)
def test_an_error_about_a_run_that_ends(
    ran: dict[str, Any],
    error: tuple[str, str],
    silent: bool,
    false: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    assert verdict(tmp_path, {"status": 0, **ran}, error, silent=silent).false_alarm is false


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("model.layers.0.self_attn.k_proj.weight is 16 x 32", True),
        ("a tensor is 16 x 32", False),
        ("the_key is 3", True),
    ],
)
def test_a_cause_that_is_named(
    message: str, named: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    died = {"status": 1, "error": {"type": "RuntimeError", "message": SHAPES}}
    result = verdict(tmp_path, died, ("checkpoint-shapes-differ", message))
    assert (result.died, result.told, result.named) == (True, True, named)
