"""What a function of the script takes from a row, and what the data really have there."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from typing import Any

from ...reward_functions.rows import GOLD
from ..record import Mistake
from .label_order import in_other_order
from .never_equal import never_equal
from .number_texts import numbers_as_texts
from .row_code import RowCode, row_code

ROWS = 1000
"""The most rows whose cells are looked at."""

TRUE = frozenset({"true", "yes", "1", "y", "t", "on"})
FALSE = frozenset({"false", "no", "0", "n", "f", "off"})

SIGNS = {-1, 1}
"""Votes for and against: as truth values both are true."""

PYTHONS = frozenset({"true", "false"})

ANSWERS = frozenset({*GOLD, "question", "text", "input", "prompt"} - {"label"})
"""Columns of which a script may ask whether they have a text at all."""

CHOICES = 26
"""The most choices of a row: longer lists are looked up for other things, too."""


def row_mistakes(function: Any, data: Any, *, passes: bool = False) -> Iterator[Mistake]:
    """What is wrong, with the column and the line; `passes`: its result decides about a row."""
    code = row_code(function)
    if code is None:
        return
    with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
        yield from _counted_from_one(code, data)
    with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
        yield from _texts_as_truth(code, data, passes)
    with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
        for column, node, words in in_other_order(code, data, cells):
            yield mistake_at("labels in other order", code, node, column, *words)
    with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
        for node, column, small, large in numbers_as_texts(code, data, cells):
            yield mistake_at("numbers as texts", code, node, column, small, large)
    with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
        for node, column, wanted, near in never_equal(code, data, cells):
            yield mistake_at("never equal", code, node, column, wanted, near)


def cells(data: Any, column: str) -> list[Any]:
    """The first cells of a column; none where the data have no such column."""
    if column not in data.column_names:
        return []
    return list(data.select_columns([column])[:ROWS][column])


def mistake_at(what: str, code: RowCode, node: ast.AST, *words: str) -> Mistake:
    """A mistake at the line of a part of the code."""
    return Mistake(what, list(words), code.at(node))


def _counted_from_one(code: RowCode, data: Any) -> Iterator[Mistake]:
    """`choices[row["answer"] - 1]`, where some answers are 0: these take the last choice."""
    for node in ast.walk(code.node):
        if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.BinOp):
            continue
        index = node.slice
        is_one = isinstance(index.right, ast.Constant) and index.right.value == 1
        column = code.column(index.left)
        if not column or not is_one or not isinstance(index.op, ast.Sub):
            continue
        if code.is_compared(column):
            continue
        values = cells(data, column)
        sizes = _sizes(code, data, node.value, len(values))
        numbers = [int(value) for value in values if not isinstance(value, bool)]
        if not sizes or len(numbers) != len(values) or len(sizes) != len(values):
            continue
        if min(numbers) == 0 and all(number < size for number, size in zip(numbers, sizes)):
            yield mistake_at("counted from one", code, node, column)


def _sizes(code: RowCode, data: Any, choices: ast.AST, rows: int) -> list[int]:
    """How many choices each row has; nothing where that is not known, or there are too many."""
    column, known = code.column(choices), code.known(choices)
    lists = cells(data, column) if column else [known] * rows
    sizes = [len(one) for one in lists if isinstance(one, (str, list, tuple))]
    return sizes if sizes and max(sizes) <= CHOICES else []


def _texts_as_truth(code: RowCode, data: Any, passes: bool) -> Iterator[Mistake]:
    """`if row["label"]`, where the label is a text such as "False", or -1."""
    tested = dict.fromkeys(code.column(value) for value in _tests(code, passes))
    beside = any(_has_texts(data, column) for column in tested if column)
    for column in tested:
        if not column or column in ANSWERS:
            continue
        values = cells(data, column)
        node = next(value for value in _tests(code, passes) if code.column(value) == column)
        if all(type(value) is int for value in values) and {*values} == SIGNS:
            yield mistake_at("number as truth", code, node, column)
            continue
        words = [value.strip().lower() for value in values if isinstance(value, str)]
        if len(words) != len(values) or not set(words) <= TRUE | FALSE:
            continue
        if beside and not set(words) <= PYTHONS:
            continue  # "yes" and "no" may be answers: it asks for rows without empty cells
        if false := next((value for value in values if value.strip().lower() in FALSE), ""):
            yield mistake_at("text as truth", code, node, column, false)


def _has_texts(data: Any, column: str) -> bool:
    """Whether a column has texts, other than words for true and false."""
    words = {value.strip().lower() for value in cells(data, column) if isinstance(value, str)}
    return not words <= TRUE | FALSE


def _tests(code: RowCode, passes: bool) -> Iterator[ast.AST]:
    """The expressions of a function that are taken for true or false."""
    for node in ast.walk(code.node):
        if isinstance(node, ast.IfExp):
            kept = code.column(node.body)  # `row["a"] if row["a"] else …` asks for a text
            yield from (value for value in _operands(node.test)
                        if not kept or code.column(value) != kept)  # fmt: skip
        elif isinstance(node, (ast.If, ast.While, ast.Assert)):
            yield from _operands(node.test)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield from _operands(node.operand)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "bool" and node.args:
            yield node.args[0]
        elif passes and isinstance(node, ast.Return) and node.value:
            yield from _operands(node.value)
    if passes and isinstance(code.node, ast.Lambda):
        yield from _operands(code.node.body)


def _operands(value: ast.AST) -> Iterator[ast.AST]:
    if isinstance(value, ast.BoolOp):
        for operand in value.values:
            yield from _operands(operand)
    elif isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        yield from _operands(value.operand)
    else:
        yield value
