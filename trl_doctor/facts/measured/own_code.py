"""The code that a script gives its trainer for the rows, as the training step uses it."""

from __future__ import annotations

from contextlib import suppress

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.script.alone import alone

NAMES = ("data_collator", "formatting_func")


def own_code(facts: Facts) -> dict[str, Json]:
    """By the argument's name the statements that make it; without those that cannot run alone."""
    passed, found = facts.run.script.passed, dict[str, Json]()
    for name in NAMES:
        with suppress(Unavailable):
            if passed is not None and passed.has(name):
                found[name] = alone(facts, name).request()
    return found
