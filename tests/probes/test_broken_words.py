"""Texts of rows that stop inside a word."""

from __future__ import annotations

import pytest

from trl_doctor.probes.rehearsal.rows.broken_words import broken_words
from trl_doctor.probes.rehearsal.rows.sources import Row

READ: list[Row] = [
    {
        "question": f"Where is the river of case {n}?",
        "text": f"Case {n} " + " ".join(f"river{n}x{k} flows" for k in range(20)),
    }
    for n in range(12)
]
CUT = 70


def test_rows_that_stop_inside_a_word() -> None:
    rows = [{"text": row["text"][:CUT]} for row in READ]
    mistake = broken_words([READ], rows, None)
    assert mistake is not None
    assert mistake["words"][:2] == ["12", "12"]


@pytest.mark.parametrize(
    "rows",
    [
        [{"text": row["text"]} for row in READ],
        [{"text": row["text"][at : at + CUT]} for row in READ for at in range(0, 400, CUT)],
        [{"text": row["text"][at : at + CUT]} for row in READ for at in range(0, 400, 40)],
        [{"text": row["text"][at : at + CUT]} for row in READ for at in range(0, 400, CUT - 9)],
        [{"text": part} for row in READ for part in (row["text"][:-9], row["text"][-9:])],
        [{"prompt": row["text"][:CUT], "completion": row["question"]} for row in READ],
        [
            {"messages": [
                {"role": "system", "content": row["text"][:CUT]},
                {"role": "user", "content": row["question"]},
                {"role": "assistant", "content": "Here."},
            ]}
            for row in READ
        ],
    ],
    ids=["whole", "divided", "with overlap", "with a short one", "a short end", "prompt", "system"],
)  # fmt: skip
def test_whole_texts_divided_ones_and_questions_are_fine(rows: list[Row]) -> None:
    assert broken_words([READ], rows, None) is None
