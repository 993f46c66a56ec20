"""Whether the token ids of a script's rows are padded after their last token."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trl_doctor.probes.rehearsal.trainers.live import pads_right


@pytest.mark.parametrize(
    "side, rows, padded",
    [
        ("right", [[5, 6], [5, 6, 7]], True),
        ("right", [[5, 6, 0, 0], [5, 6, 7, 8]], True),
        ("right", [[5, 6, 7], [5, 6, 0]], False),
        ("left", [[0, 0, 5, 6], [5, 6, 7, 8]], False),
        ("left", [[5, 6], [5, 6, 7]], False),
    ],
)
def test_rows_of_other_lengths_or_with_padding_behind_them_are_padded_on_the_right(
    side: str, rows: list[list[int]], padded: bool
) -> None:
    tokenizer = SimpleNamespace(padding_side=side, pad_token_id=0)
    assert pads_right(tokenizer, [{"input_ids": row} for row in rows]) is padded
