"""The answer of the probe `start`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class StartAnswer:
    """Whether TRL's own script comes to its first training step."""

    reached: bool
    changed: Mapping[str, str]
    """The arguments of the run that were replaced, each with the reason."""
