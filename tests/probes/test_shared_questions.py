"""Which rows to evaluate on ask what is also learned from."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows.questions import shared_questions

Rows = list[dict[str, Any]]


def talk(*texts: str) -> dict[str, Any]:
    roles = ("user", "assistant") * len(texts)
    turns = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]
    return {"messages": turns}


ANSWERS = [{"prompt": f"q{n % 8}", "completion": f"a{n}"} for n in range(32)]
NEW = [{"prompt": f"q{n}", "completion": f"a{n}"} for n in range(40)]
ONE_INSTRUCTION = [{"instruction": "Translate.", "output": f"a{n}"} for n in range(40)]
WITH_INPUT = [{"instruction": f"t{n % 2}", "input": f"i{n}", "output": "a"} for n in range(40)]
GREETINGS = [talk("Hi", "Hello", f"q{n}", f"a{n}") for n in range(40)]
LABELS = [{"text": f"t{n}"} for n in range(40)]
SAME_TALK = [talk("Hi", "Hello", f"q{n % 10}", f"a{n}") for n in range(40)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [(ANSWERS, (8, 8)), (SAME_TALK, (8, 8)), (NEW, (0, 8)), (WITH_INPUT, (0, 8)),
     (GREETINGS, (0, 8)), (ONE_INSTRUCTION, None), (LABELS, None)],
    ids=["answers", "same talk", "new", "input", "greetings", "one instruction", "texts"],
)  # fmt: skip
def test_a_question_is_all_that_a_row_asks(rows: Rows, expected: tuple[int, int] | None) -> None:
    assert shared_questions(rows[:-8], rows[-8:]) == expected


def test_a_part_that_is_named_for_training_is_no_test() -> None:
    test: Any = {"train": ANSWERS[:8], "test": NEW[32:]}
    assert shared_questions(ANSWERS, test) == (0, 8)
    assert shared_questions(ANSWERS, {"one": ANSWERS, "two": NEW}) is None


def test_rows_that_cannot_be_read_are_not_judged() -> None:
    assert shared_questions(ANSWERS, iter(ANSWERS)) is None
    assert shared_questions([1, 2], ANSWERS[:8]) is None
    assert shared_questions(ANSWERS, None) is None
