"""Texts of formatting_func that SFT never reads, and those that it cannot be compared with."""

from __future__ import annotations

import random
from typing import Any

from trl_doctor.probes.rehearsal.rows.formatted import formatted_in_vain


class Rows(list[dict[str, Any]]):
    """Rows, as `datasets` gives them."""

    @property
    def column_names(self) -> list[str]:
        return list(self[0])


ROWS = Rows({"messages": [{"role": "user", "content": f"What is {n}?"}], "text": f"It is {n}."}
            for n in range(9))  # fmt: skip
TRAINED = Rows({"text": f"user: What is {n}?"} for n in range(9))


def to_text(row: dict[str, Any]) -> str:
    return f"### Asked: {row['messages'][0]['content']} ### Said: {row['text']}"


def test_texts_that_no_row_has_are_told() -> None:
    words = formatted_in_vain(to_text, ROWS, TRAINED, "text", None)
    assert words == ["to_text", "messages", "### Asked: What is 0? ### Said: It is 0."]
    made = Rows({"text": to_text(row)} for row in ROWS)
    assert formatted_in_vain(to_text, ROWS, made, "text", None) is None


def test_texts_that_are_drawn_are_not_compared() -> None:
    drawn = random.Random(0)

    def numbered(row: dict[str, Any]) -> str:
        return f"Case {drawn.randrange(10**9)}: {to_text(row)}"

    made = Rows({"text": numbered(row)} for row in ROWS)
    assert formatted_in_vain(numbered, ROWS, made, "text", None) is None
