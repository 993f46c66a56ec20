"""Short labels at the ends of texts that are learned whole, and other short ends."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows.labels.small_labels import small_labels

ASKED = "Is the word in this question a long one, or is it not a long one? The word is "
LABELS = ("yes", "no")


class Tokenizer:
    """One token a character."""

    all_special_tokens = ("<end>",)

    def decode(self, ids: list[str], skip_special_tokens: bool = False) -> str:
        return "".join(ids)


def found(
    end: str = "{question}\nAnswer: {label}<end>",
    labels: tuple[str, ...] = LABELS,
    masked: Any = None,
    **columns: str,
) -> list[str] | None:
    """What is found in eight rows that are made so of their records."""
    records = [
        {"question": f"{ASKED}{n}.", "label": labels[n % len(labels)], **columns} for n in range(8)
    ]
    rows = [{"input_ids": [*end.format(**record)], **(masked or {})} for record in records]
    return small_labels([records], rows, Tokenizer())


def test_labels_that_are_a_small_part() -> None:
    assert found() == ["label", "no", "yes", "2.7"]


@pytest.mark.parametrize(
    "other",
    [
        {"end": "{label}<end>"},
        {"end": "{question} So it is {label}.<end>"},
        {"labels": tuple(str(n) for n in range(8))},
        {"labels": ("yes",)},
        {"masked": {"completion_mask": [0, 1]}},
        {"masked": {"labels": [-100, 1]}},
        {"reasoning": "It is short."},
    ],
)
def test_other_rows(other: dict[str, Any]) -> None:
    assert found(**other) is None
