"""A part of a row in the answer of the probe `step`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Segment:
    """A part of a row: its text, decoded, and its number of tokens.

    `learned`: its tokens have a loss. `name` is "prompt", "chosen", "rejected", "desirable",
    "undesirable" or "completion", and empty for rows with one side. Many equal tokens are written
    once with their number, and the middle of a long text is left out.
    """

    name: str
    text: str
    tokens: int
    learned: bool
