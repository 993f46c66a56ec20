"""Texts that match the patterns in a reward function's own code."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from .source import bare, codes, holder, methods

try:
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # Python before 3.11
    import sre_parse as parser

MOST, LONGEST = 12, 300
"""Patterns that are looked at, and characters of one."""

FUNCTIONS = 16
"""Functions of the same file that are looked at."""

LIKE_A_PATTERN = re.compile(r"\\[a-zA-Z]|[)\]}.][*+?]|\[\^")
WORDS = "Let me see"
LIKED = "3aA .,-_/<"
"""Characters that are tried where a pattern leaves the choice, the likeliest first."""

CATEGORIES: dict[str, Callable[[str], bool]] = {
    "CATEGORY_DIGIT": str.isdigit,
    "CATEGORY_NOT_DIGIT": lambda one: not one.isdigit(),
    "CATEGORY_SPACE": str.isspace,
    "CATEGORY_NOT_SPACE": lambda one: not one.isspace(),
    "CATEGORY_WORD": lambda one: one.isalnum() or one == "_",
    "CATEGORY_NOT_WORD": lambda one: not (one.isalnum() or one == "_"),
}


def samples(function: Callable[..., Any]) -> list[str]:
    """Texts that the patterns match, and one in which each of them is found."""
    texts: list[str] = []
    firsts: list[str] = []
    for pattern in patterns(function):
        found = list(dict.fromkeys(matched(pattern)))
        texts += found
        firsts += found[:1]
    return list(dict.fromkeys([*texts, "\n".join(firsts)] if firsts else []))


def patterns(function: Any) -> list[re.Pattern[str]]:
    """Those of the function, and of functions of its file that it names, in their order."""
    found: dict[tuple[str, int], re.Pattern[str]] = {}
    for value in own_values(function):
        pattern = _compiled(value) if isinstance(value, str) else value
        if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
            found.setdefault((pattern.pattern, pattern.flags), pattern)
    return list(found.values())[:MOST]


def own_values(function: Any) -> Iterator[Any]:
    """The constants of a function, and of functions of its file that it names, in their order.

    With their defaults, and with what the names in them are outside of them.
    """
    seen: list[Any] = []
    waiting = [bare(function), *methods(function)]
    yield from _fields(function)
    while waiting and len(seen) < FUNCTIONS:
        current = waiting.pop(0)
        if not isinstance(current, FunctionType) or current in seen:
            continue
        seen.append(current)
        for value in _values(current):
            yield value
            body = bare(value) if callable(value) else None
            code = getattr(body, "__code__", None)
            if code and code.co_filename == current.__code__.co_filename:
                waiting.append(body)


def _fields(function: Any) -> Iterator[Any]:
    """What its object holds under the names that its code has."""
    fields = getattr(holder(function), "__dict__", {})
    whole = [bare(function), *methods(function)]
    parts = [part for one in whole for part in codes(getattr(one, "__code__", None))]
    for name in dict.fromkeys(name for part in parts for name in part.co_names):
        if name in fields:
            yield fields[name]


def _values(function: FunctionType) -> Iterator[Any]:
    """The defaults and constants of a function, and what the names in it are outside of it."""
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for code in codes(function.__code__):
        yield from code.co_consts
        for name in code.co_names:
            if name in function.__globals__:
                yield function.__globals__[name]
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # the cell is empty
            yield cell.cell_contents


def _compiled(text: str) -> re.Pattern[str] | None:
    """A text as a pattern, where it looks like one; its dots match line breaks."""
    if len(text) > LONGEST or not LIKE_A_PATTERN.search(text):
        return None
    try:
        return re.compile(text, re.DOTALL)
    except (re.error, RecursionError, OverflowError):
        return None


def matched(pattern: re.Pattern[str]) -> Iterator[str]:
    """Texts that it is found in: with what may be left out, and without."""
    try:
        parsed = parser.parse(pattern.pattern, pattern.flags)
        for times in (1, 0):
            text = _written(parsed, times, {})
            if text.strip() and pattern.search(text):
                yield text
    except (re.error, RecursionError, OverflowError, TypeError, ValueError, KeyError):
        return


def _written(parsed: Any, times: int, groups: dict[int, str]) -> str:
    """A text for the parts of a pattern; `times` for what may be repeated or left out."""
    return "".join(_part(str(kind), value, times, groups) for kind, value in parsed)


def _part(kind: str, value: Any, times: int, groups: dict[int, str]) -> str:
    if kind == "LITERAL":
        return chr(value)
    if kind in ("NOT_LITERAL", "IN", "ANY"):
        parts = value if kind == "IN" else [(kind, value)] if kind == "NOT_LITERAL" else []
        return _character(parts, any_of_them=kind == "ANY")
    if kind.endswith("_REPEAT"):
        least, most, inner = value
        count = max(least, min(most, times))
        if count == 1 and [str(one) for one, _ in inner] == ["ANY"] and most > len(WORDS):
            return WORDS
        return "".join(_written(inner, times, groups) for _ in range(min(count, LONGEST)))
    if kind == "SUBPATTERN":
        text = _written(value[-1], times, groups)
        if value[0] is not None:
            groups[value[0]] = text
        return text
    if kind == "BRANCH":
        return _written(value[1][0], times, groups)
    if kind == "ATOMIC_GROUP":
        return _written(value, times, groups)
    return str(groups.get(value, "")) if kind == "GROUPREF" else ""


def _character(parts: Any, *, any_of_them: bool) -> str:
    """A character that a class has, the likeliest one; "" where none of those here fits."""
    kinds = [(str(kind), value) for kind, value in parts]
    turned = bool(kinds) and kinds[0][0] in ("NEGATE", "NOT_LITERAL")
    own = [chr(value[0] if kind == "RANGE" else value)
           for kind, value in kinds if kind in ("LITERAL", "RANGE")]  # fmt: skip
    for one in [*LIKED, *own]:
        if any_of_them or any(_has(kind, value, one) for kind, value in kinds) != turned:
            return str(one)
    return ""


def _has(kind: str, value: Any, one: str) -> bool:
    if kind in ("LITERAL", "NOT_LITERAL"):
        return bool(value == ord(one))
    if kind == "RANGE":
        return bool(value[0] <= ord(one) <= value[1])
    return kind == "CATEGORY" and CATEGORIES.get(str(value), str.isalpha)(one)
