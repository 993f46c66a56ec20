"""The beginning of a long text ends with a whole word."""

from __future__ import annotations

import pytest

from trl_doctor.core.plain import excerpt
from trl_doctor.probes.rehearsal.rows.excerpt import excerpt as of_probes


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Forty-two.", "Forty-two."),
        ("a" * 20, "a" * 20),
        ("What is seven times six?", "What is seven …"),
        ("What is\nseven times six?", "What is\nseven …"),
        ("a" * 30, "a" * 18 + " …"),
        ("a " + "b" * 40, "a " + "b" * 16 + " …"),
    ],
)
def test_the_first_words(text: str, shown: str) -> None:
    assert excerpt(text, 20) == of_probes(text, 20) == shown
    assert len(shown) <= 20
