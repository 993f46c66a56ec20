"""What a function of `map` has made of its rows: texts cut off, pairs turned, ties as wins."""

from __future__ import annotations

from typing import Any

import pytest
from test_row_mistakes import Data

from trl_doctor.probes.rehearsal.rows.cut_texts import cut_off
from trl_doctor.probes.rehearsal.rows.made_pairs import reversed_pairs
from trl_doctor.probes.rehearsal.rows.ties import ties

Row = dict[str, Any]
ASKED = [{"context": "word " * n, "question": f"What is the number {n}?"} for n in range(10, 40)]


def test_a_question_behind_a_long_context_is_cut_off() -> None:
    made = [{"prompt": f"{row['context']}\n{row['question']}"[:120]} for row in ASKED]
    assert cut_off(ASKED, made) == ["question", "prompt", "120", "18", "30"]


@pytest.mark.parametrize(
    "prompt",
    [
        lambda row: f"{row['context'][:120]}\n{row['question']}",
        lambda row: f"{row['question']}\n{row['context']}"[:120],
        lambda row: f"{row['context']}"[:120],
        lambda row: row["question"],
        lambda row: f"{row['context']}\n{row['question'] if len(row['context']) < 120 else ''}",
    ],
)
def test_other_texts_are_whole_or_cut_on_purpose(prompt: Any) -> None:
    assert cut_off(ASKED, [{"prompt": prompt(row)} for row in ASKED]) is None


def test_an_answer_that_the_context_quotes_may_be_cut_with_it() -> None:
    rows = [{**row, "context": f"{row['context']} It is so {at}.", "answer": f"It is so {at}."}
            for at, row in enumerate(ASKED)]  # fmt: skip
    made = [{"prompt": f"{row['question']} {row['context']}"[:120]} for row in rows]
    assert cut_off(rows, made) is None


NESTED = [
    {"said": [{"text": f"good {n}", "score": 9}, {"text": f"bad {n}", "score": 2 + n % 3}]}
    for n in range(10)
]
FLAT = [
    {"answer_a": f"good {n}", "answer_b": f"bad {n}", "rating_a": 4.5, "rating_b": 1.0}
    for n in range(10)
]


def _pairs(turned: bool) -> list[Row]:
    good, bad = ("bad", "good") if turned else ("good", "bad")
    return [
        {"chosen": [{"role": "assistant", "content": f"{good} {n}"}], "rejected": f"{bad} {n}"}
        for n in range(10)
    ]


def test_pairs_are_compared_with_the_scores_of_their_answers() -> None:
    assert reversed_pairs(NESTED, _pairs(True)) == ["score", "2", "9", "10", "10"]
    assert reversed_pairs(FLAT, _pairs(True)) == ["rating", "1", "4.5", "10", "10"]
    assert reversed_pairs(NESTED, _pairs(False)) is None
    assert reversed_pairs(FLAT, _pairs(False)) is None
    ranked = [{"said": [{"text": one["text"], "rank": one["score"]} for one in row["said"]]}
              for row in NESTED]  # fmt: skip
    assert reversed_pairs(ranked, _pairs(True)) is None
    for name, pairs in (("toxicity_score", None), ("harmlessness_score", 10)):
        rated = [{"said": [{"text": one["text"], name: one["score"]} for one in row["said"]]}
                 for row in NESTED]  # fmt: skip
        found = reversed_pairs(rated, _pairs(True))
        assert found == (pairs and [name, "2", "9", "10", "10"])


@pytest.mark.parametrize("right", [True, 1, 1.0])
def test_pairs_by_what_is_true_of_their_answers_are_no_reversed_ones(right: Any) -> None:
    wrong = type(right)(0)

    def marked(name: str, better: str) -> list[Row]:
        return [{"said": [{**one, name: right if better in one["text"] else wrong}
                          for one in row["said"]]} for row in NESTED]  # fmt: skip

    assert reversed_pairs(marked("correct", "bad"), _pairs(True)) is None
    assert reversed_pairs(marked("toxic", "good"), _pairs(True)) is None
    assert reversed_pairs(marked("correct", "good"), _pairs(True)) is not None


def test_pairs_by_a_rank_are_no_reversed_ones() -> None:
    def by_rank(best: str) -> list[Row]:
        return [{"said": [{**one, "human_rank": 1 if best in one["text"] else 2}
                          for one in row["said"]]} for row in NESTED]  # fmt: skip

    assert reversed_pairs(by_rank("bad"), _pairs(True)) is None
    assert reversed_pairs(by_rank("good"), _pairs(True)) is not None


def test_a_row_without_a_winner_becomes_a_pair() -> None:
    def by_name(row: Row) -> Row:
        if row["winner"] == "a":
            return {"chosen": row["x"], "rejected": row["y"]}
        return {"chosen": row["y"], "rejected": row["x"]}

    def both_names(row: Row) -> Row:
        if row["winner"] == "a":
            return {"chosen": row["x"], "rejected": row["y"]}
        if row["winner"] == "b":
            return {"chosen": row["y"], "rejected": row["x"]}
        return {"chosen": None, "rejected": None}

    def knows_ties(row: Row) -> Row:
        chosen = "x" if row["winner"] == "a" else "y"
        return {"chosen": row[chosen], "rejected": row["x"], "tie": row["winner"] == "tie"}

    def found(
        function: Any, winners: list[str], removed: tuple[str, ...] = ("winner",)
    ) -> list[Any]:
        rows = Data({"winner": winners, "x": ["1"] * len(winners), "y": ["2"] * len(winners)})
        return [mistake.words for mistake in ties(function, rows, removed)]

    mixed = ["a", "b", "tie", "tie", "tie (both bad)"]
    assert found(by_name, mixed) == [["winner", "a", "tie", "3", "5"]]
    assert not found(by_name, mixed, ())
    assert not found(by_name, ["a", "b", "a"])
    assert not found(by_name, ["a", "b", "c", "tie", "tie", "tie"])
    assert not found(both_names, mixed)
    assert not found(knows_ties, mixed)
