"""Numbers that are texts in the data, and that a function of the script compares as texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from .row_code import RowCode

ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
ORDERING = ("max", "min", "sorted")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")

NAME = re.compile(r"(^|_)(id|uid|uuid|qid|key|hash)$", re.IGNORECASE)
"""Names of fields whose order says nothing, except of the turns of a conversation."""

BY = frozenset({"role", "from", "speaker", "author"})

Cells = Callable[[Any, str], list[Any]]
"""The first cells of a column."""

Found = tuple[ast.AST, str, str, str]
"""Where, the column, and two numbers of which the text that is smaller is the larger number."""


def numbers_as_texts(code: RowCode, data: Any, cells: Cells) -> Iterator[Found]:
    """`row["a"] > row["b"]` and `max(row["answers"], key=lambda one: one["score"])`."""
    for node in ast.walk(code.node):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ORDER):
            sides = [_texts(side, code, data, cells) for side in (node.left, *node.comparators)]
            column = _column(node.left, code) or _column(node.comparators[0], code)
            pairs = list(zip(*sides)) if all(sides) and column else []
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ORDERING:
            column, lists = _ordered(node, code, data, cells)
            pairs = [pair for texts in lists for pair in zip(sorted(texts), sorted(texts)[1:])]
        else:
            continue
        for one, other in pairs:
            if (one < other) != (float(one) < float(other)) and float(one) != float(other):
                yield node, column, *sorted((one, other))
                break


def _column(value: ast.AST, code: RowCode) -> str:
    """The column that is read here, without `int` or a name between."""
    call = isinstance(value, ast.Call) and getattr(value.func, "id", "") == "int"
    return "" if call or isinstance(value, ast.Name) else code.column(value)


def _texts(value: ast.AST, code: RowCode, data: Any, cells: Cells) -> list[str]:
    """The numbers of a side in each row, as texts; none where these are no such texts."""
    if column := _column(value, code):
        return _numbers(cells(data, column))
    known = code.known(value)
    return _numbers([known] * len(data)) if isinstance(known, str) else []


def _ordered(call: ast.Call, code: RowCode, data: Any, cells: Cells) -> tuple[str, list[list[str]]]:
    """The field by which a column's lists are ordered, and its numbers in each list, as texts."""
    key = next((word.value for word in call.keywords if word.arg == "key"), None)
    column = _column(call.args[0], code) if call.args else ""
    field = key.body.slice if isinstance(key, ast.Lambda) and isinstance(
        key.body, ast.Subscript) and isinstance(key.body.value, ast.Name) else None  # fmt: skip
    name = getattr(field, "value", None)
    if not column or not isinstance(name, str):
        return "", []
    every = cells(data, column)
    turns = any(BY.intersection(one) for cell in every for one in cell)
    if getattr(call.func, "id", "") == "sorted" and NAME.search(name) and not turns:
        return "", []  # an order that stays the same from run to run
    lists = [_numbers([one[name] for one in cell]) for cell in every]
    return f"{column}[…].{name}", lists if all(lists) else []


def _numbers(values: list[Any]) -> list[str]:
    """The values, if all of them are numbers in texts."""
    good = all(isinstance(value, str) and NUMBER.fullmatch(value.strip()) for value in values)
    return [value.strip() for value in values] if good else []
