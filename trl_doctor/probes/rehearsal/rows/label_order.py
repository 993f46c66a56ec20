"""Names of labels in a script that stand in another order than the data's own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .row_code import RowCode

SHORTEST = 3
"""Letters of a name that may stand for a longer one: pos, positive."""

Cells = Callable[[Any, str], list[Any]]
Found = tuple[str, ast.AST, tuple[str, str, str]]
"""A column, the place, and for one number: the number, the script's name, the data's name."""


def in_other_order(code: RowCode, data: Any, cells: Cells) -> Iterator[Found]:
    """Labels of the data that the script gives the name of another one.

    Not where it gives them their own names, too: the others are wrong on purpose.
    """
    found: list[Found] = []
    right = set[str]()
    for node in ast.walk(code.node):
        column, named = _named(code, node)
        if not column or column not in data.column_names:
            continue
        for names in _names_of(data, column, named, cells):
            places = _places(named, names)
            wrong = next((at for at in sorted(places) if places[at] != at), None)
            if places and wrong is None:
                right.add(column)
            elif wrong is not None:
                found.append((column, node, (str(wrong), named[wrong], names[wrong])))
                break
    yield from (one for one in found if one[0] not in right)


def _named(code: RowCode, node: ast.AST) -> tuple[str, dict[int, str]]:
    """The column that a part of the function gives names to, and the name of each number."""
    if isinstance(node, ast.Subscript):
        column = code.column(node.slice)
        return column, _by_number(code.known(node.value)) if column else {}
    if isinstance(node, ast.IfExp):
        column, number = _is_number(code, node.test)
        texts = [getattr(part, "value", None) for part in (node.body, node.orelse)]
        if column and number in (0, 1) and all(isinstance(text, str) for text in texts):
            return column, {number: str(texts[0]), 1 - number: str(texts[1])}
    return "", {}


def _is_number(code: RowCode, test: ast.AST) -> tuple[str, int]:
    """The column and the number of `row["label"] == 1`; 1 for `row["label"]` alone."""
    if not isinstance(test, ast.Compare):
        return code.column(test), 1
    number = getattr(test.comparators[0], "value", None)
    if len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq) or type(number) is not int:
        return "", -1
    return code.column(test.left), number


def _by_number(names: Any) -> dict[int, str]:
    """The names of a list, or of a dictionary of numbers; nothing of anything else."""
    pairs = dict(enumerate(names)) if isinstance(names, (list, tuple)) else names
    if not isinstance(pairs, dict) or len(pairs) < 2:
        return {}
    whole = all(type(number) is int and isinstance(name, str) for number, name in pairs.items())
    return dict(pairs) if whole else {}


def _names_of(
    data: Any, column: str, named: dict[int, str], cells: Cells
) -> Iterator[dict[int, str]]:
    """What the data call the numbers of a column: its own names, or a column of texts beside it."""
    if not named:
        return
    names = getattr(data.features.get(column), "names", None)
    if isinstance(names, (list, tuple)):
        yield dict(enumerate(names))
        return
    numbers = cells(data, column)
    for other, feature in data.features.items():
        if getattr(feature, "dtype", "") != "string":
            continue
        pairs = set(zip(numbers, cells(data, other)))
        beside = dict(pairs)
        if len(beside) == len(pairs) == len(named) == len(set(beside.values())):
            yield beside


def _places(named: dict[int, str], names: dict[int, str]) -> dict[int, int]:
    """The data's number of each name of the script; nothing unless both have the same names."""
    if set(named) != set(names):
        return {}
    numbers = {number: _same_as(name, names) for number, name in named.items()}
    return numbers if sorted(numbers.values()) == sorted(names) else {}


def _same_as(name: str, names: dict[int, str]) -> int:
    """The number of the only name that is the same, or of which one begins the other; or -1."""
    word, words = _plain(name), {number: _plain(other) for number, other in names.items()}
    same = [number for number, other in words.items() if other == word]
    if not same and len(word) >= SHORTEST:
        same = [number for number, other in words.items()
                if len(other) >= SHORTEST and _begins([word, other])]  # fmt: skip
    return same[0] if len(same) == 1 else -1


def _begins(pair: Sequence[str]) -> bool:
    first, second = sorted(pair, key=len)
    return second.startswith(first)


def _plain(name: Any) -> str:
    return " ".join(str(name).lower().replace("_", " ").replace("-", " ").strip(" .!").split())
