"""The column of a list of rows that has values of two types, where Arrow refuses the rows."""

from __future__ import annotations

import ast
from types import FrameType
from typing import Any

from ...named_objects import nodes, resolved

WORDS = {list: "a list", tuple: "a list", dict: "a dictionary", str: "a text", int: "a number",
         bool: "a truth value", float: "a number"}  # fmt: skip


def mixed_column(frame: FrameType, line: int) -> list[str]:
    """The name of the first such column, and what it has in which rows; empty if there is none."""
    for node in nodes(frame, line):
        if isinstance(node, (ast.Name, ast.Attribute)):
            for name, values in _columns(resolved(node, frame)).items():
                first: dict[str, int] = {}
                for number, value in enumerate(values, 1):
                    if word := WORDS.get(type(value)):
                        first.setdefault(word, number)
                if len(first) > 1:
                    shown = " and ".join(f"{word} in row {at}" for word, at in first.items())
                    return [str(name), shown]
    return []


def _columns(value: Any) -> dict[Any, list[Any]]:
    """The columns of a list of rows, or of a dictionary of lists."""
    if isinstance(value, dict):
        return {name: list(items) for name, items in value.items() if isinstance(items, list)}
    if not isinstance(value, list) or not value or not all(type(row) is dict for row in value):
        return {}
    return {name: [row.get(name) for row in value] for name in value[0]}
