"""Answers that every row learns, by what is before them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.trainers.mistakes import learned_rows

EXAMPLE = "Two and two? "
ROWS = [(f"{EXAMPLE}Four. {n} and {n}? ", f"It is {2 * n}.") for n in range(8)]


class Cells(list[Any]):
    """A tensor as far as it is read."""

    def tolist(self) -> list[Any]:
        return [*self]


def found(monkeypatch: pytest.MonkeyPatch, unlearned: set[str]) -> list[str]:
    """What is told of rows of which only these parts have no loss."""

    def collated(trainer: Any, rows: list[tuple[str, str]]) -> dict[str, Any]:
        question = rows[0][0].removeprefix(f"{EXAMPLE}Four. ")
        parts = [EXAMPLE, "Four. ", question, rows[0][1]]
        names = ["example", "shown", "question", "answer"]
        ids = [ord(letter) for part in parts for letter in part]
        labels = [-100 if name in unlearned else ord(letter)
                  for name, part in zip(names, parts, strict=True) for letter in part]  # fmt: skip
        return {"input_ids": Cells([ids]), "labels": [Cells(labels)]}

    monkeypatch.setattr(learned_rows, "collator_rows", lambda trainer: ROWS)
    monkeypatch.setattr(learned_rows, "prepared", collated)
    words = SimpleNamespace(decode=lambda ids, **_: "".join(map(chr, ids)))
    monkeypatch.setattr(learned_rows, "processing_of", lambda trainer: words)
    trainer = SimpleNamespace(args=SimpleNamespace(packing=False))
    return [mistake.words[0] for mistake in learned_rows.of_examples(trainer)]


def test_an_answer_that_stands_behind_a_question_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(monkeypatch, {"example", "question"}) == ["Four."]


@pytest.mark.parametrize("unlearned", [set(), {"question"}, {"example", "shown", "question"}])
def test_rows_that_are_learned_from_their_first_token_on_have_no_example(
    unlearned: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(monkeypatch, unlearned) == []
