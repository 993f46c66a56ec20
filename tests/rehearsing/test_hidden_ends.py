"""Rows that end with an end which no label has."""

from __future__ import annotations

from test_attended_padding import END, Ids, X

from trl_doctor.facts.measured.data import last_targets
from trl_doctor.probes.answers.rows import Labels
from trl_doctor.probes.watching.alignment import hidden_end


def hidden(ids: list[int], labels: list[int]) -> int:
    return hidden_end({"input_ids": Ids([ids]), "labels": Ids([labels])}, {END, None})


def test_an_end_without_a_label_is_found_also_before_a_line_break() -> None:
    assert hidden([1, 2, 3, END], [1, 2, 3, X]) == 1
    assert hidden([1, 2, END, 3], [1, 2, X, 3]) == 1


def test_an_end_that_is_learned_and_a_text_without_an_end_are_none() -> None:
    assert hidden([1, 2, 3, END], [1, 2, 3, END]) == 0
    assert hidden([END, 1, 2, 3, 4], [X, 1, 2, 3, 4]) == 0


def test_ends_that_fill_a_row_up_are_padding() -> None:
    assert hidden([1, 2, END, END, END], [1, 2, X, X, X]) == 0


def test_the_last_targets_are_shown_as_texts() -> None:
    made = Labels(1, 1, None, (2,), 0, last=((13, 198),), last_texts=((".", "\n"),))
    assert last_targets(made) == (r"the last targets are '.' (13), '\n' (198)",)
    bare = Labels(1, 1, None, (2,), 0, last=((13, 198),))
    assert last_targets(bare) == ("the last targets are 13, 198",)
