"""What a trainer of a running program shows before its first step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .rehearse import RehearsalMistake
from .rows import Labels


@dataclass(frozen=True)
class LiveAnswer:
    """What was seen of a trainer without a step."""

    parameters: int
    """How many parameters its model has, as tensors."""

    trained: int
    """How many of them require a gradient."""

    labels: Labels | None
    """Those of its first rows; None if it generates, or if they could not be collated."""

    conversational: bool
    pad: int | None
    """The id that pads."""

    looked_for: tuple[str, ...]
    """The kinds of mistakes that were looked for."""

    mistakes: tuple[RehearsalMistake, ...] = ()

    def looked_for_any(self, kinds: Iterable[str]) -> bool:
        """Whether one of these kinds was looked for."""
        return not {*kinds}.isdisjoint(self.looked_for)
