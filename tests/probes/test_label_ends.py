"""Rows whose labels end before the token that ends the text, or inside the text."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.probes.watching.alignment import unlearned_end

END, NEWLINE, PAD = 9, 8, 0


class Rows:
    """Token ids, as a tensor has them."""

    def __init__(self, *rows: list[int]) -> None:
        self.rows = list(rows)
        self.shape = (len(rows), len(rows[0]))

    def tolist(self) -> list[list[int]]:
        return self.rows


@pytest.mark.parametrize(
    ("ids", "labels", "mask", "found"),
    [
        ([5, 6, END], [-100, 6, -100], [1, 1, 1], (1, 0)),
        ([5, 6, END, NEWLINE], [-100, 6, -100, -100], [1, 1, 1, 1], (1, 0)),
        ([5, 6, 7, END], [-100, 6, -100, -100], [1, 1, 1, 1], (0, 1)),
        ([5, 6, END], [-100, 6, END], [1, 1, 1], (0, 0)),
        ([5, 6, END, PAD], [-100, 6, END, -100], [1, 1, 1, 0], (0, 0)),
        ([5, 6, 7, 7, END], [5, -100, -100, -100, -100], [1, 1, 1, 1, 1], (0, 1)),
        ([5, 6, 7], [-100, -100, -100], [1, 1, 1], (0, 0)),
        ([5, 6, END, PAD], [-100, 6, -100, -100], [1, 1, 0, 0], (0, 0)),
    ],
)
def test_where_the_labels_end(
    ids: list[int], labels: list[int], mask: list[int], found: tuple[int, int]
) -> None:
    batch: dict[str, Any] = {
        "input_ids": Rows(ids),
        "labels": Rows(labels),
        "attention_mask": Rows(mask),
    }
    assert unlearned_end(batch, {END, None}) == found
