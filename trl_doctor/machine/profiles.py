"""The files of accelerate that TRL ships."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trl_doctor.machine.environment import Environment


def profile(name: str, world: Environment) -> Iterator[Path]:
    """The file of a profile that TRL ships, as `accelerate_config: zero2` names it."""
    package = world.source("trl")
    if package and "/" not in name and "." not in name:
        yield package / "accelerate_configs" / f"{name}.yaml"
