"""What makes tokens for a trainer: a tokenizer, or a processor that has one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMES = ("processing_class", "tokenizer")
"""What trainers call it: newer releases, then older ones."""


def given_processing(arguments: Mapping[str, Any]) -> Any:
    """What a trainer is given, by the names of its arguments; None if it is given none."""
    return next((arguments[name] for name in NAMES if name in arguments), None)


def processing_of(trainer: Any) -> Any:
    """What a trainer has; None if it has none."""
    return next(filter(None, (getattr(trainer, name, None) for name in NAMES)), None)


def tokenizer_of(trainer: Any) -> Any:
    """The tokenizer of a trainer, of a processor the one in it; None if it has none."""
    return tokenizer_in(processing_of(trainer))


def tokenizer_in(processing: Any) -> Any:
    """The tokenizer of a processor; a tokenizer as it is."""
    return getattr(processing, "tokenizer", processing)
