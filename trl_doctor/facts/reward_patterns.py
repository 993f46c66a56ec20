"""The patterns of a reward function that search for what is between two tags, by its text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

CALLS = frozenset({"match", "search", "fullmatch", "findall", "finditer", "compile", "split"})
BETWEEN = re.compile(r"<(\w+)>\.[*+]\??</\1>")
"""A pair of tags with anything but a line break between them."""

WHOLE = re.compile(r"\(\?[a-z]*s")
FLAGS = frozenset({"DOTALL", "S"})


def of_one_line(node: ast.AST) -> str:
    """The first pattern whose text between tags may not have a line break; empty without one."""
    known = {
        target.id: one.value.value
        for one in ast.walk(node)
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
        for target in one.targets
        if isinstance(target, ast.Name) and isinstance(one.value.value, str)
    }
    for call in _calls(node):
        first = call.args[0]
        text = known.get(first.id) if isinstance(first, ast.Name) else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            text = first.value
        if text and BETWEEN.search(text) and not WHOLE.match(text) and not _spans_lines(call):
            return text
    return ""


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """The calls of the module `re` that take a pattern."""
    for one in ast.walk(node):
        if not isinstance(one, ast.Call) or not isinstance(one.func, ast.Attribute):
            continue
        home = getattr(one.func.value, "id", "")
        if one.args and one.func.attr in CALLS and home in ("re", "regex"):
            yield one


def _spans_lines(call: ast.Call) -> bool:
    """Whether a flag lets the dot match line breaks, or is not known."""
    flags = [*call.args[2:], *(one.value for one in call.keywords if one.arg == "flags")]
    if getattr(call.func, "attr", "") == "compile":
        flags += call.args[1:2]
    names = {
        getattr(one, "attr", getattr(one, "id", "")) for flag in flags for one in ast.walk(flag)
    }
    return bool(flags) and (bool(names & FLAGS) or not any(name in dir(re) for name in names))
