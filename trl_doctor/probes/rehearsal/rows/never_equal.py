"""Comparisons of a column that are true in no row, because the data write the value otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .number_texts import Cells
from .row_code import RowCode

FEWEST, KINDS = 8, 20
"""Rows that a column has at least, and different values at most: others are no choice."""

Found = tuple[ast.AST, str, str, str]
"""Where, the column, what it is compared with, and how the data write it."""


def never_equal(code: RowCode, data: Any, cells: Cells) -> Iterator[Found]:
    """`row["winner"] == "A"`, where the data have "a" and "b"."""
    compared = [*_compared(code)]
    for node, column, wanted in compared:
        values = cells(data, column)
        if len(values) < FEWEST or not all(isinstance(one, (str, int)) for one in values):
            continue
        kinds = list(dict.fromkeys((type(one), one) for one in values))
        if len(kinds) > KINDS or any(one in wanted for one in values):
            continue
        every = [_plain(one) for _, beside, ones in compared if beside == column for one in ones
                 if any(one == value for value in values)]  # fmt: skip
        for one in wanted:
            near = next((value for _, value in kinds if _plain(value) == _plain(one)), None)
            if near is not None and _plain(one) not in every:
                yield node, column, repr(one), repr(near)
                break


def _compared(code: RowCode) -> Iterator[tuple[ast.Compare, str, list[Any]]]:
    """The comparisons of a column with values: `==`, `!=`, and `in` with a list of them."""
    for node in ast.walk(code.node):
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        sign, left, right = node.ops[0], node.left, node.comparators[0]
        if isinstance(sign, (ast.Eq, ast.NotEq)):
            for one, other in ((left, right), (right, left)):
                column, value = _column(one, code), code.known(other)
                if column and isinstance(value, (str, int)):
                    yield node, column, [value]
        elif isinstance(sign, (ast.In, ast.NotIn)):
            values = code.known(right)
            column = _column(left, code)
            if column and isinstance(values, (list, tuple, set, frozenset)):
                yield node, column, list(values)


def _column(value: ast.AST, code: RowCode) -> str:
    """A column as the data have it, without `int` around."""
    converts = isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
    return "" if converts else code.column(value)


def _plain(value: Any) -> str:
    """A value without spaces and capitals: "a" for "A ", "1" for 1, "true" for True."""
    return str(value).strip().casefold()
