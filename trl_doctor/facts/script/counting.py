"""Numbers of a script that count another thing than they are used for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.code import code
from trl_doctor.facts.script.method_calls import data_sets

LIMITS = ("max_length", "max_seq_length", "max_prompt_length", "max_completion_length",
          "max_new_tokens")  # fmt: skip
"""Arguments that count tokens."""

NO_TEXT = re.compile(
    r"ids|token|mask|label|messages|conversation|turns|dialog|image|tools", re.IGNORECASE
)
"""Parts of the names of columns whose length is not one of characters."""

STEPS = ("warmup_steps", "num_warmup_steps", "num_training_steps")
"""Arguments that count steps of the optimizer."""

DIVIDED = re.compile(r"batch|accum|world|steps|dataloader|loader", re.IGNORECASE)
"""Parts of names that show that a number of rows was made one of steps."""

DEPTH = 5


class Counted(Struct, frozen=True):
    """`what` is compared with `limit`, or given as `limit`; `place` says where."""

    what: str
    limit: str
    place: Place


def characters_for_tokens(facts: Facts) -> list[Counted]:
    """Each comparison of a text's characters with a limit of tokens. Raises as `code` does."""
    parsed = facts[code]
    limits = _limits(parsed.whole)
    return [
        Counted(ast.unparse(length), limit, parsed.place(node))
        for node in ast.walk(parsed.whole)
        if isinstance(node, ast.Compare) and len(node.comparators) == 1
        for length, other in _sides(node)
        if _counts_characters(length) and (limit := _limit(other, limits))
    ]


def _limits(tree: ast.Module) -> set[str]:
    """The names that the script gives to arguments which count tokens."""
    return {
        word.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for word in node.keywords
        if word.arg in LIMITS and isinstance(word.value, ast.Name)
    }


def _sides(node: ast.Compare) -> Iterator[tuple[ast.expr, ast.expr]]:
    yield node.left, node.comparators[0]
    yield node.comparators[0], node.left


def _counts_characters(value: ast.expr) -> bool:
    """Whether it is `len(row["text"])`, of a column that holds a text by its name."""
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.args):
        return False
    column = value.args[0]
    key = column.slice if isinstance(column, ast.Subscript) else None
    text = key.value if isinstance(key, ast.Constant) else None
    named = isinstance(text, str) and not NO_TEXT.search(text)
    return named and value.func.id == "len" and isinstance(column.value, ast.Name)  # type: ignore[attr-defined]


def _limit(value: ast.expr, limits: set[str]) -> str:
    """The name of a limit of tokens that is compared as it is, or with a number added to it."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
        value = value.left
    name = getattr(value, "attr", getattr(value, "id", ""))
    counts = name in limits or name in LIMITS or re.search(r"max_?tok", name, re.IGNORECASE)
    return ast.unparse(value) if name and counts else ""


def rows_for_steps(facts: Facts) -> list[Counted]:
    """Each argument that counts steps and gets a number of rows. Raises as `code` does."""
    parsed = facts[code]
    rows, values = data_sets(parsed.whole), _values(parsed.whole)
    return [
        Counted(ast.unparse(word.value), word.arg or "", parsed.place(word.value))
        for node in ast.walk(parsed.whole)
        if isinstance(node, ast.Call)
        for word in node.keywords
        if word.arg in STEPS and _counts_rows(word.value, rows, values)
    ]


def _values(tree: ast.Module) -> dict[str, ast.expr]:
    """The values of names that get one value only."""
    given: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            given.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            given.setdefault(node.target.id, []).extend((node.value, node.value))
    return {name: values[0] for name, values in given.items() if len(values) == 1}


def _counts_rows(value: ast.expr, rows: set[str], values: dict[str, ast.expr]) -> bool:
    """Whether a number is surely a number of rows, or a part of it, and not divided by a batch."""
    parts = list(_parts(value, values, DEPTH))
    divided = any(
        isinstance(part, ast.Div | ast.FloorDiv)
        or DIVIDED.search(getattr(part, "id", getattr(part, "attr", "")))
        for part in parts
    )
    return not divided and any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Name)
        and part.func.id == "len"
        and isinstance(part.args[0], ast.Name)
        and part.args[0].id in rows
        for part in parts
    )


def _parts(value: ast.expr, values: dict[str, ast.expr], depth: int) -> Iterator[ast.AST]:
    """The nodes of an expression, and those of the values of its names."""
    for node in ast.walk(value):
        yield node
        if isinstance(node, ast.Name) and node.id in values and depth:
            inner = values[node.id]
            if not (isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute)):
                yield from _parts(inner, values, depth - 1)
