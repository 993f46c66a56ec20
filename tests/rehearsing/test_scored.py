"""Texts that a trained classifier is asked about, with and without the end of its rows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.record import Mistake
from trl_doctor.probes.rehearsal.trainers import scored
from trl_doctor.probes.rehearsal.trainers.scored import Ends

END, LINE = 9, ("train.py", 30)
LEARNED = [[1, 2, END], [3, END], [4, 5, 6, END], [1, END]]


class Ids(list[list[int]]):
    """A tensor of tokens without padding."""

    ndim = 2

    def tolist(self) -> list[list[int]]:
        return self

    def new_tensor(self, rows: list[list[int]]) -> Ids:
        return Ids(rows)


class Told(list[str]):
    """A record of mistakes."""

    trainer = 1

    def mistake(self, found: Mistake, **about: Any) -> None:
        self.append(found.what)


def told(monkeypatch: pytest.MonkeyPatch, learned: list[list[int]], *asked: list[list[int]],
         differs: bool = True, states: bool = False, code: str = "") -> bool:  # fmt: skip
    """Whether it is told of, at the end of a script that asks for these scores."""
    at_end: list[Any] = []
    monkeypatch.setattr(scored, "says", lambda pattern: pattern.search(code))
    monkeypatch.setattr(scored, "called_by_user", lambda through: LINE)
    monkeypatch.setattr(scored.atexit, "register", lambda *call: at_end.append(call))
    monkeypatch.setattr(Ends, "_differs", lambda ends, model, text: differs)
    record: Any = Told()
    model = SimpleNamespace(training=True, config=SimpleNamespace(pad_token_id=END))
    ends = Ends(record, model, END)
    ends._called(model, (), {"input_ids": Ids(learned)})
    ends.learns = model.training = False
    for rows in asked:
        ends._called(model, (Ids(rows),), {"output_hidden_states": states})
    for call, *given in at_end:
        call(*given)
    return bool(record)


def test_texts_without_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, LEARNED, [[1, 2], [3], [4, 5], [6]])
    assert told(monkeypatch, LEARNED, *([[1] * size] for size in (2, 3, 2, 4)))


def test_texts_with_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not told(monkeypatch, LEARNED, LEARNED)
    line_behind = [[*row, 7] for row in LEARNED]
    assert not told(monkeypatch, LEARNED, line_behind)


def test_a_later_text_has_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not told(monkeypatch, LEARNED, [[1, 2], [3], [4, 5], [6]], [[1, END]])


def test_texts_of_one_length_may_have_been_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not told(monkeypatch, LEARNED, [[1, 2], [3, 4], [4, 5], [6, 7]])


def test_rows_that_do_not_all_end_so_and_few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [[1, 2], [3], [4, 5], [6]]
    assert not told(monkeypatch, [*LEARNED, [1, 2]], texts)
    assert not told(monkeypatch, LEARNED[:2], texts)
    assert not told(monkeypatch, LEARNED, texts[:3])


def test_a_score_that_the_end_does_not_change(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not told(monkeypatch, LEARNED, [[1, 2], [3], [4, 5], [6]], differs=False)


def test_texts_whose_scores_are_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not told(monkeypatch, LEARNED, [[1, 2], [3], [4, 5], [6]], states=True)


@pytest.mark.parametrize("code, left_alone", [
    ("# which beginning of a draft is the best?", True),
    ("partial = answer[:20]", True),
    ('print("texts per second", count / seconds)', True),
    ("# how much does the score change without the end?", True),
    ("args = RewardConfig(warmup_steps=10)", False),
])  # fmt: skip
def test_texts_without_the_end_on_purpose(
    monkeypatch: pytest.MonkeyPatch, code: str, left_alone: bool
) -> None:
    texts = [[1, 2], [3], [4, 5], [6]]
    assert told(monkeypatch, LEARNED, texts, code=code) is not left_alone
