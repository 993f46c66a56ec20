"""Rows of which no form of the right answer gets more than garbage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from trl_doctor.probes.reward_functions import unpaid as unpaid_rows
from trl_doctor.probes.reward_functions.calls import Rewards, Sheet
from trl_doctor.probes.reward_functions.release import Release
from trl_doctor.probes.reward_functions.rows import Case

RELEASE = Release((), True, True, True, True)
Score = Callable[[str, dict[str, Any]], float]


@pytest.fixture(autouse=True)
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions are called with each text and its row."""

    def called(function: Score, cases: Sequence[Case], sheet: Sheet) -> Rewards:
        rewards = [function(case.text, sheet.rows[case.row]) for case in cases]
        return Rewards(rewards, len(rewards), [], 0.0)

    monkeypatch.setattr(unpaid_rows, "called", called)


def found(score: Score, *rows: dict[str, Any]) -> tuple[int, tuple[tuple[int, str], ...]]:
    sheet = Sheet([{"prompt": "?", **row} for row in rows], True, RELEASE, False, lambda text: [])
    return unpaid_rows.unpaid(score, sheet, "answer")


def same_word(text: str, row: dict[str, Any]) -> float:
    return float(row["answer"] == text.replace(",", "").split()[-1:][0] if text.split() else 0.0)


ROWS = [{"answer": answer} for answer in ("12", "Yes", "7", "1,250")]


def test_an_answer_that_the_function_writes_otherwise_is_unpaid() -> None:
    assert found(same_word, *ROWS) == (4, ((3, "1,250"),))


@pytest.mark.parametrize(
    "score",
    [
        lambda text, row: float(row["answer"] in text),
        lambda text, row: float(row["answer"].lower() == text),
        lambda text, row: float(text.strip().endswith(f"#### {row['answer'].replace(',', '')}")),
        lambda text, row: float("nan"),
    ],
)
def test_functions_that_pay_for_some_spelling_are_left_alone(score: Score) -> None:
    assert not found(score, *ROWS)[1]


def test_rows_that_a_column_tells_from_the_others_are_left_alone() -> None:
    kinds = [{**row, "kind": "text" if row["answer"] == "1,250" else "word"} for row in ROWS]
    assert found(same_word, *kinds) == (3, ())
    alike = [{**row, "kind": "word"} for row in ROWS]
    assert found(same_word, *alike)[1] == ((3, "1,250"),)


def test_long_answers_and_answers_without_letters_are_not_tried() -> None:
    assert found(same_word, {"answer": "word " * 20}, {"answer": "?"}, {"answer": "12"}) == (1, ())


def test_an_answer_is_spelled_in_other_ways() -> None:
    assert {"1250", "1,250", "1250.0", "$1,250"} <= {*unpaid_rows.spellings("$1,250")}
    assert {"yes", "YES", "Yes"} <= {*unpaid_rows.spellings(" yes.")} | {"YES", "Yes"}
    assert unpaid_rows.spellings("x") == ["x", "X"]
