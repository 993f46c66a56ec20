"""Numbers of rows that a script gives to arguments which count steps."""

from __future__ import annotations

import ast
import re

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.assigned import values_by_name
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.syntax.counting import Counted
from trl_doctor.facts.script.syntax.method_calls import data_sets
from trl_doctor.files.source.names import last_name

STEPS = ("warmup_steps", "num_warmup_steps", "num_training_steps")
"""Arguments that count steps of the optimizer."""

DIVIDED = re.compile(r"batch|accum|world|steps|dataloader|loader", re.IGNORECASE)
"""Parts of names that show that a number of rows was made one of steps."""

ROUNDS = ("int", "float", "round", "max", "ceil", "floor")
"""Functions that leave a number of rows one of rows."""


def rows_for_steps(facts: Facts) -> list[Counted]:
    """Each argument that counts steps and gets a number of rows. Raises as `code` does."""
    parsed = facts[code]
    rows = _Rows(data_sets(parsed.whole), _values(parsed.whole))
    return [
        Counted(ast.unparse(word.value), word.arg or "", parsed.place(word.value))
        for node in parsed.nodes
        if isinstance(node, ast.Call)
        for word in node.keywords
        if word.arg in STEPS and rows.surely_counts(word.value)
    ]


def _values(tree: ast.Module) -> dict[str, ast.expr]:
    """The values of names that get one value only."""
    changed = {
        ast.unparse(node.target) for node in ast.walk(tree) if isinstance(node, ast.AugAssign)
    }
    values = values_by_name(ast.walk(tree))
    return {
        name: given[0] for name, given in values.items() if len(given) == 1 and name not in changed
    }


class _Rows:
    """Which numbers are numbers of rows: true, false, or None where this is not known."""

    def __init__(self, rows: set[str], values: dict[str, ast.expr]) -> None:
        self.rows, self.values = rows, values
        self.names: dict[str, bool | None] = {}

    def surely_counts(self, value: ast.expr) -> bool:
        """Whether it is surely such a number; not known of one that is nested too deep."""
        try:
            return self.counts(value) is True
        except RecursionError:
            return False

    def counts(self, value: ast.expr) -> bool | None:
        """Whether it is surely a number of rows, or a part of it, and not divided by a batch."""
        if isinstance(value, ast.Call):
            return self._called(value)
        if isinstance(value, ast.BinOp):
            kept = isinstance(value.op, ast.Add | ast.Sub | ast.Mult)
            return self._any(value.left, value.right) if kept else None
        if isinstance(value, ast.IfExp):
            return self._any(value.body, value.orelse)
        if isinstance(value, ast.Name):
            return self._named(value.id)
        known = isinstance(value, ast.Constant | ast.Attribute | ast.Subscript)
        return False if known and not DIVIDED.search(ast.unparse(value)) else None

    def _called(self, call: ast.Call) -> bool | None:
        name, first = last_name(call.func), call.args[0] if call.args else None
        if name == "len":
            return (isinstance(first, ast.Name) and first.id in self.rows) or None
        return self._any(*call.args) if name in ROUNDS and not call.keywords else None

    def _named(self, name: str) -> bool | None:
        if DIVIDED.search(name):
            return None
        if name not in self.names:
            self.names[name] = None  # a name that is made of itself stays so
            self.names[name] = self.counts(self.values[name]) if name in self.values else False
        return self.names[name]

    def _any(self, *values: ast.expr) -> bool | None:
        counts = [self.counts(value) for value in values]
        return None if None in counts else any(counts)
