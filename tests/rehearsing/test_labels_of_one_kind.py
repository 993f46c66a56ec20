"""Labels that are all the same, beside columns of the data that tell two kinds of rows."""

from __future__ import annotations

import pytest

from trl_doctor.probes.rehearsal.rows.verdicts import one_label


@pytest.mark.parametrize("column, found", [
    ("kto_tag", True), ("accepted", True), ("isRejected", True), ("flagged", True),
    ("is_bad", True), ("markdown", False), ("human_labeled", False), ("has_feedback", False),
    ("generating", False), ("downloaded", False), ("terms_accepted", False),
])  # fmt: skip
def test_what_a_column_is_called(column: str, found: bool) -> None:
    texts = [f"An answer of number {at}" for at in range(8)]
    table = [{"completion": text, column: at % 2 == 0} for at, text in enumerate(texts)]
    rows = [{"completion": text, "label": True} for text in texts]
    assert one_label([table], rows) == (["True", "8", column] if found else None)
