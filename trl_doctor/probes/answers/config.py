"""The answer of the probe `config`."""

from __future__ import annotations

from dataclasses import dataclass

from .error import Error


@dataclass(frozen=True)
class ConfigAnswer:
    """Whether the real config class accepts the run's arguments."""

    config: str
    """The name of the config class."""

    raised: Error | None
    """The error about the arguments, None if there was none."""

    part: str = ""
    """What raised it: "config" for the class itself, or an object that the trainer creates from it:
    "reporters", "optimizer", "schedule", "compiler"."""

    pretended: tuple[str, ...] = ()
    """Arguments that need a GPU, where there is none: the config was told that there is one."""
