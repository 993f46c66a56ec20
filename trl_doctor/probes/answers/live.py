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
    """Those of its first rows; None if it generates, or if they could not be read."""

    not_read: str
    """The error that ended the reading of the labels."""

    batch_error: str
    """The error of the trainer's own collator on its first rows, as many as a batch has."""

    conversational: bool
    pad: int | None
    """The id that pads."""

    looked_for: tuple[str, ...]
    """The kinds of mistakes that were looked for."""

    mistakes: tuple[RehearsalMistake, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    """The kinds whose search ended with an error, each with the error."""

    def looked_for_any(self, kinds: Iterable[str]) -> bool:
        """Whether one of these kinds was looked for."""
        return not {*kinds}.isdisjoint(self.looked_for)

    def error_of(self, kinds: Iterable[str]) -> str:
        """The error that ended the search for one of these kinds; "" for none."""
        errors = dict(self.failed)
        return next((errors[kind] for kind in kinds if kind in errors), "")
