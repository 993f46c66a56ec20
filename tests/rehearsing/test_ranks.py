"""What several processes of one training tell, taken together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trl_doctor.core.question import Answer, Question
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.rehearsing.events import Event, Events
from trl_doctor.rehearsing.ranks import moved_rows

MARKS = [f"m{number}" for number in range(20)]
HERE = (MARKS[:16], MARKS[16:])
AGAIN = ([*MARKS[10:], *MARKS[:6]], MARKS[6:10])


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (AGAIN, (4, 4)),
        (HERE, None),
        ((MARKS[:16][::-1], MARKS[16:]), (0, 4)),
        ((["n0", *MARKS[1:16]], MARKS[16:]), None),
        (([f"n{number}" for number in range(16)], MARKS[16:]), None),
        ((MARKS[13:16], []), None),
        ((None, None), None),
        (None, None),
    ],
    ids=["split", "same", "shuffled", "one is new", "written anew", "few", "streams", "unknown"],
)
def test_rows_that_two_processes_have_at_different_places(
    other: Any, expected: tuple[int, int] | None
) -> None:
    events = [{"rank": 0, "marks": HERE}, {"rank": 1, "marks": other}]
    assert moved_rows(events) == expected
    assert moved_rows(events[:1]) is None


def step(rank: int, error: str) -> Event:
    raised = {"type": "RuntimeError", "message": error} if error else None
    return {"kind": "step", "rank": rank, "time": 1.0, "not_evaluated": raised}


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        (("", ""), None),
        (("Connection closed by peer [127.0.0.1]:47255", ""), None),
        (("Connection closed by peer", "no metric"), "no metric"),
        (("no metric", "no metric"), "no metric"),
    ],
)
def test_an_evaluation_that_only_lost_another_process_is_no_error(
    errors: tuple[str, str], expected: str | None, tmp_path: Path
) -> None:
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered",
                    RehearseAnswer(0, False, 1, str(tmp_path), ()))  # fmt: skip
    steps = tuple(step(rank, error) for rank, error in enumerate(errors))
    error = Events(steps, answer, tmp_path, tmp_path).not_evaluated
    assert (error and error["message"]) == expected
