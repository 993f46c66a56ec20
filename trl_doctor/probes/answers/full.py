"""The answer of the probe `full`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FullAnswer:
    """What real steps at full size held and took, in bytes and seconds.

    `parts` are "weights", "reference", "gradients" and "optimizer". `peak` is what was held at
    most, `reserved` what torch had taken of the device with `total` bytes; the last two are 0 on
    the CPU. `held_after_steps` is what was left after each step, empty on the CPU. `changed` are
    arguments that are not the run's own: given, used, why. `batch` are the rows of a step of one
    process, `generations` the completions of a prompt, None for trainers that have none.
    `rows_there` is how many rows the run's file has, None where they were not counted. `used` is
    what the driver saw taken of the device at most, by all processes; 0 on the CPU.
    """

    parts: Mapping[str, int]
    peak: int
    reserved: int
    total: int
    device: str
    seconds_by_step: tuple[float, ...]
    held_after_steps: tuple[int, ...]
    trainer: str
    architecture: str
    rows_from: str
    changed: Mapping[str, tuple[Any, Any, str]]
    batch: int
    generations: int | None
    epochs: float
    rows_there: int | None
    used: int = 0
