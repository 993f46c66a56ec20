"""The answer of the probe `config`."""

from __future__ import annotations

from dataclasses import dataclass

from .error import Error


@dataclass(frozen=True)
class ConfigAnswer:
    """What was raised over the run's arguments, None for nothing, by this `part`.

    `part` is "config", the class with the name `config`, or an object that the trainer creates from
    it: "reporters", "optimizer", "schedule", "compiler". `pretended` are arguments that ask for a
    GPU if there is none.
    """

    config: str
    raised: Error | None
    part: str = ""
    pretended: tuple[str, ...] = ()
