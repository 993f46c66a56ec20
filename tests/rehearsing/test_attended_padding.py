"""Padding that a model reads, and other tokens of its kind."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.probes.watching.alignment import attended_padding

PAD, END, X = 0, 9, -100


class Ids(list[list[int]]):
    """A tensor of tokens."""

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), len(self[0])

    def tolist(self) -> list[list[int]]:
        return self


def read(ids: list[list[int]], learned: int, mask: Any = None, pad: int = PAD) -> int:
    """The padding that is read where the last tokens of each row are learned."""
    labels = Ids([X] * (len(row) - learned) + row[-learned:] for row in ids)
    batch = {"input_ids": Ids(ids), "labels": labels}
    return attended_padding({**batch, "attention_mask": mask} if mask else batch, pad, {END})


ON_THE_LEFT = [[0, 0, 0, 5, 6, 7, 8], [1, 2, 3, 4, 5, 7, 8]]
BEFORE_ANSWERS = [[5, 6, 0, 0, 0, 7, 8], [1, 2, 3, 0, 0, 7, 8]]


def test_padding_that_is_read() -> None:
    assert read(ON_THE_LEFT, 2) == read(ON_THE_LEFT, 2, Ids([[1] * 7] * 2)) == 3
    assert read(BEFORE_ANSWERS, 2) == 5


def test_padding_that_the_mask_leaves_out() -> None:
    assert read(ON_THE_LEFT, 2, Ids([[0] * 3 + [1] * 4, [1] * 7])) == 0
    assert read(BEFORE_ANSWERS, 2, Ids([[1, 1, 0, 0, 0, 1, 1], [1, 1, 1, 0, 0, 1, 1]])) == 0


def test_a_mask_of_another_shape_is_not_known() -> None:
    assert read(ON_THE_LEFT, 2, Ids([[1]])) == 0


@pytest.mark.parametrize("ids", [
    [[1, 0, 0, 0, 5, 7, 8], [1, 2, 6, 0, 0, 7, 8]],  # "!!!" in a text
    [[1, 0, 0, 0, 7, 8, 8], [1, 2, 3, 0, 0, 0, 7]],  # three places to think
])  # fmt: skip
def test_tokens_of_a_text_that_also_pad(ids: list[list[int]]) -> None:
    assert read(ids, 1) == 0
