"""The answer of the probe `config`."""

from __future__ import annotations

from dataclasses import dataclass

from .error import Error


@dataclass(frozen=True)
class ConfigAnswer:
    """What the config class with this name raised over the run's arguments; None for nothing.

    `reports`: it took them, and one of the reporters that the run names was not made.
    """

    config: str
    raised: Error | None
    reports: bool
