"""The answer of the probe `start`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class StartAnswer:
    """Whether TRL's script `reached` its first training step.

    `changed` are the run's arguments that it was given otherwise, with the reason of each.
    """

    reached: bool
    changed: Mapping[str, str]
