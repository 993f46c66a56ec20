"""The patterns of a reward function that search for what is between two tags, by its text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

CALLS = frozenset({"match", "search", "fullmatch", "findall", "finditer", "compile", "split"})
SPACE = r"(?:\\[ns][*+]?\??|\s)*"
BETWEEN = rf"<(\w+)>{SPACE}\(?{SPACE}\.[*+]\??{SPACE}\)?{SPACE}</\1>"
"""A pair of tags with one line of text between them: line breaks can only be at its ends."""

WHOLE = r"\(\?[a-z]*s"
FLAGS = frozenset({"DOTALL", "S"})


def of_one_line(node: ast.AST) -> str:
    """The first pattern whose text between tags may not have a line break; empty without one."""
    patterns = {
        target.id: inner.value.value
        for inner in ast.walk(node)
        if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Constant)
        for target in inner.targets
        if isinstance(target, ast.Name) and isinstance(inner.value.value, str)
    }
    for call in _calls(node):
        first = call.args[0]
        text = patterns.get(first.id) if isinstance(first, ast.Name) else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            text = first.value
        if (
            text
            and re.search(BETWEEN, text)
            and not re.match(WHOLE, text)
            and not _spans_lines(call)
        ):
            return text
    return ""


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """The calls of the module `re` that take a pattern."""
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Call) or not isinstance(inner.func, ast.Attribute):
            continue
        home = getattr(inner.func.value, "id", "")
        if inner.args and inner.func.attr in CALLS and home in ("re", "regex"):
            yield inner


def _spans_lines(call: ast.Call) -> bool:
    """Whether a flag lets the dot match line breaks, or is not known."""
    flags = [
        *call.args[2:],
        *(keyword.value for keyword in call.keywords if keyword.arg == "flags"),
    ]
    if getattr(call.func, "attr", "") == "compile":
        flags += call.args[1:2]
    names = {
        getattr(node, "attr", getattr(node, "id", "")) for flag in flags for node in ast.walk(flag)
    }
    return bool(flags) and (bool(names & FLAGS) or not any(name in dir(re) for name in names))
