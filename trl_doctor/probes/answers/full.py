"""The answer of the probe `full`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FullAnswer:
    """The memory and the time of real steps at full size, in bytes and seconds."""

    parts: Mapping[str, int]
    """The memory of "weights", "reference", "gradients" and "optimizer"."""

    peak: int
    """The most that torch's tensors used."""

    reserved: int
    """What torch had reserved on the device; 0 on the CPU."""

    total: int
    """The memory of the device; 0 on the CPU."""

    device: str
    seconds_by_step: tuple[float, ...]
    held_after_steps: tuple[int, ...]
    """What was in use after each step; empty on the CPU."""

    trainer: str
    architecture: str
    rows_from: str
    changed: Mapping[str, tuple[Any, Any, str]]
    """By argument: the run's value, the value that was used, and the reason."""

    batch: int
    """The rows of a step of one process."""

    generations: int | None
    """Completions of a prompt, None for trainers that generate none."""

    epochs: float
    rows_there: int | None
    """The rows of the run's file, None if they were not counted."""

    used: int = 0
    """The most that all processes together used, as the driver counts it; 0 on the CPU."""
