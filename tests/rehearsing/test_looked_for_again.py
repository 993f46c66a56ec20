"""What a small rehearsal passes, and the run does not: it is looked for at the run's own sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trl_doctor.core.question import Answer, Question
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.probes.rehearsal.trainers.reward_calls import reshaped
from trl_doctor.rehearsing.ending.judges import JUDGES
from trl_doctor.rehearsing.ending.own_checks import checked_by_luck
from trl_doctor.rehearsing.events import Event, Events


@pytest.mark.parametrize(
    ("own", "size"),
    [
        ({}, 8),
        ({"per_device_train_batch_size": 4, "gradient_accumulation_steps": 6}, 24),
        ({"steps_per_generation": 4, "gradient_accumulation_steps": 6}, 32),
        ({"generation_batch_size": 12}, 12),
        ({"per_device_train_batch_size": 512}, 0),
    ],
)
def test_how_many_completions_a_call_of_the_run_has(own: Any, size: int) -> None:
    assert reshaped.own_call(own) == size


def test_a_function_that_fails_in_larger_calls_only() -> None:
    def few(completions: list[str], **more: Any) -> list[float]:
        assert len(completions) <= 4
        return [0.0] * len(completions)

    given = {"prompts": ["a"] * 4, "completions": list("abcd"), "state": None}
    assert reshaped.fails_at(few, given, 8)
    assert not reshaped.fails_at(few, given, 4) and not reshaped.fails_at(few, given, 6)
    assert not reshaped.fails_at(lambda completions, **more: None, given, 8)


@pytest.mark.parametrize(
    ("check", "luck"),
    [
        ("assert len(rows) % 8 == 0", True),
        ("assert len(rows) <= 100", True),
        ("if len(rows) > 100:\n    raise ValueError", True),
        ("assert len(rows) > 100", False),
        ("assert rows", False),
        ("assert len(other) % 8 == 0", False),
    ],
)
def test_a_check_that_few_rows_pass_by_luck(check: str, luck: bool, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(f"rows = load()\nother = [1]\n{check}\n")
    begun = {"rank": 0, "time": 1.0, "at": [str(script), 1]}
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered",
                    RehearseAnswer(1, False, 1, "here", ()))  # fmt: skip
    events: list[Event] = [
        {"kind": "short", **begun},
        {"kind": "data", "name": "d", "origin": "folder", **begun},
    ]
    assert checked_by_luck(Events(tuple(events), answer, tmp_path, tmp_path)) == luck


@pytest.mark.parametrize(
    ("kind", "message", "login"),
    [
        ("GatedRepoError", "401 Client Error. Access to model m is restricted", True),
        ("OSError", "You are trying to access a gated repo.", True),
        ("OSError", "Server said: 401", True),
        ("ValueError", "the losses are aggregated: 0.401, 4012", False),
        ("AssertionError", "401 rows", False),
    ],
)
def test_which_errors_ask_for_a_login(kind: str, message: str, login: bool) -> None:
    event = {"type": kind, "message": message, "frames": [], "stage": "script"}
    judged = [judge(event, None) for judge in JUDGES]
    assert any(failure and failure.kind == "login" for failure in judged) == login
