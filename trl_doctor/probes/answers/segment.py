"""A part of a row in the answer of the probe `step`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Segment:
    """A part of a row as the trainer reads it, decoded."""

    name: str
    """One of "prompt", "chosen", "rejected", "desirable", "undesirable" and "completion"; empty for
    rows that have one part only."""

    text: str
    """Equal tokens are written once with their number; the middle of a long text is left out."""

    tokens: int
    learned: bool
    """Whether its tokens have a loss."""
