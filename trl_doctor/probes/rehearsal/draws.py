"""Gives random numbers a seed, so that a script that sets none is told the same each time.

Each process has a seed of its own: those of a real run draw other numbers than one another, too.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from .record import rank


def begin() -> None:
    """Seed what is imported already, as in a fork; `numpy` and `torch` seed what comes later."""
    random.seed(rank())
    for name, seed in (("numpy", numpy), ("torch", torch)):
        if name in sys.modules:
            seed(sys.modules[name])


def numpy(module: Any) -> None:
    """Seed what `datasets` shuffles with. The module is numpy."""
    module.random.seed(rank())


def torch(module: Any) -> None:
    """Seed what new weights are drawn with. The module is torch."""
    module.default_generator.manual_seed(rank())
