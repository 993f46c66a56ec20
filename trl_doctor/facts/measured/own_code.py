"""The code that a script gives its trainer for the rows, as the training step uses it."""

from __future__ import annotations

import ast
from contextlib import suppress

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.script.alone import alone
from trl_doctor.facts.script.syntax.after_trainer import after_trainer

NAMES = ("data_collator", "formatting_func")


def own_code(facts: Facts) -> dict[str, Json]:
    """By the argument's name the statements that make it; without those that cannot run alone.

    Nothing where the script changes its trainer's rows or collator before it trains.
    """
    passed, found = facts.run.script.passed, dict[str, Json]()
    for name in () if facts.get(_changed_later) else NAMES:
        with suppress(Unavailable):
            if passed is not None and passed.has(name):
                found[name] = alone(facts, name).request()
    return found


def _changed_later(facts: Facts) -> bool:
    """Whether a function gets the trainer before it trains, or its rows or collator are set."""
    statements = [(made.name, node) for made, statement in facts[after_trainer]
                  for node in ast.walk(statement)]  # fmt: skip
    calls = [(name, node) for name, node in statements if isinstance(node, ast.Call)]
    if any(isinstance(value, ast.Name) and value.id == name
           for name, call in calls for value in call.args):  # fmt: skip
        return True
    stored = (ast.unparse(node) for name, node in statements
              if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))  # fmt: skip
    return any(text.endswith((".train_dataset", ".data_collator")) for text in stored)
