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
LINES = re.compile(r"splitlines|split\('\\\\n'\)|replace\('\\\\n'|join\([^()]*\.split\(\)\)")
"""What makes single lines of a text."""

FLAGS = frozenset({"DOTALL", "S"})


def of_one_line(node: ast.AST) -> str:
    """The first pattern whose text between tags may not have a line break; empty without one."""
    if LINES.search(ast.unparse(node)):
        return ""
    patterns = {
        target.id: inner.value.value
        for inner in ast.walk(node)
        if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Constant)
        for target in inner.targets
        if isinstance(target, ast.Name) and isinstance(inner.value.value, str)
    }
    found = [(_pattern(call, patterns), _spans_lines(call)) for call in _calls(node)]
    of_lines = {text for text, spans in found if spans}
    for text, spans in found:
        between = re.search(BETWEEN, text) and not re.match(WHOLE, text)
        if between and not spans and text not in of_lines:
            return text
    return ""


def _pattern(call: ast.Call, patterns: dict[str, str]) -> str:
    """The pattern that a call is given; empty if that is not known."""
    first = call.args[0]
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return first.value
    return patterns.get(first.id, "") if isinstance(first, ast.Name) else ""


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
