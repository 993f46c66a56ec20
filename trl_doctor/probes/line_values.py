"""The values of the names in the lines that raised an error."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FrameType
from typing import Any

from .named_objects import UNKNOWN, around, nodes, parsed, resolved

LIBRARIES = ("/trl/", "/transformers/", "/peft/", "/accelerate/", "/datasets/")
CALLS, VALUES, KEYS = 2, 6, 12
"""The most calls that are read (innermost first), values that are reported, names of a list of
keys.
"""

LONGEST = 60
"""The most characters of a text and of an expression that are reported."""

OF_RUN = ("args.", "self.args.", "config.")
"""What begins the arguments of the run: their numbers are those of a small step."""


def line_values(error: BaseException) -> tuple[str, ...]:
    """Sentences as `self.ref_model is None`, of the innermost call in the libraries that has some.

    They give the values in the tests before a `raise`, else what the error is about: names that are
    None, the keys of mappings, shapes. An object that cannot be examined is left out.
    """
    if isinstance(error, IndexError) and (table := _table(error)):
        return (table,)
    for frame, line in _last_calls(error):
        try:
            sentences = list(_sentences(error, frame, line))
        except Exception:
            continue
        if sentences:
            return tuple(dict.fromkeys(sentences))[:VALUES]
    return ()


def _table(error: BaseException) -> str:
    """The table of a model that lacks the entry which it is asked for, by its name; else ""."""
    entry, models = error.__traceback__, list[Any]()
    while entry is not None:
        own: Any = entry.tb_frame.f_locals.get("self")
        asked: Any = entry.tb_frame.f_locals.get("input")
        rows = getattr(own, "num_embeddings", None)
        if isinstance(rows, int) and hasattr(asked, "max"):
            most = int(asked.max())
            names = [name for model in models for name, part in model.named_modules()
                     if part is own]  # fmt: skip
            if most >= rows:
                name = max(names, key=len, default="a table")
                return f"{name} has {rows} entries, 0 to {rows - 1}, and is asked for entry {most}"
        if hasattr(own, "named_modules"):
            models.append(own)
        entry = entry.tb_next
    return ""


def _sentences(error: BaseException, frame: FrameType, line: int) -> Iterator[str]:
    parts = nodes(frame, line)
    raises = bool(parts) and isinstance(parts[0], ast.Raise)
    roots = [part for test in _tests(frame, line) for part in ast.walk(test)]
    for expression in _expressions(roots if raises else parts[1:]):
        name, value = ast.unparse(expression), resolved(expression, frame)
        if len(name) <= LONGEST and (raises or _concerns(error, value)):
            yield from _sentence(name, value)


def _concerns(error: BaseException, value: Any) -> bool:
    """Whether an error is about such a value."""
    if isinstance(error, (AttributeError, TypeError)) and "NoneType" in str(error):
        return value is None
    if isinstance(error, KeyError):
        return isinstance(value, dict)
    return isinstance(error, (RuntimeError, IndexError)) and hasattr(value, "shape")


def _last_calls(error: BaseException) -> list[tuple[FrameType, int]]:
    calls = []
    entry = error.__traceback__
    while entry is not None:
        calls.append((entry.tb_frame, entry.tb_lineno))
        entry = entry.tb_next
    inside = [
        call for call in calls if any(name in call[0].f_code.co_filename for name in LIBRARIES)
    ]
    return inside[: -CALLS - 1 : -1]


def _expressions(parts: list[ast.AST]) -> Iterator[ast.expr]:
    """The names, attributes and items; no names of functions that are called."""
    called = {id(part.func) for part in parts if isinstance(part, ast.Call)}
    for part in parts:
        if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript)) and id(part) not in called:
            yield part


def _tests(frame: FrameType, line: int) -> list[ast.expr]:
    """The test of the innermost `if` around a line."""
    tree = parsed(frame.f_code.co_filename)
    tests = [
        node.test
        for node in (around(tree, line) if tree else ())
        if isinstance(node, ast.If) and node.body[0].lineno <= line
    ]
    return tests[-1:]


def _sentence(name: str, value: Any) -> Iterator[str]:
    """What a value is, in words; nothing if it explains no error."""
    shape = getattr(value, "shape", None)
    if value is UNKNOWN:
        return
    number = isinstance(value, (int, float)) and not name.startswith(OF_RUN)
    if value is None or isinstance(value, bool) or number:
        yield f"{name} is {value}"
    elif isinstance(value, str) and len(value) <= LONGEST:
        yield f"{name} is {value!r}"
    elif isinstance(value, (dict, list, tuple)) and not value:
        yield f"{name} is empty"
    elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
        more = ", …" if len(value) > KEYS else ""
        yield f"{name} has the keys {', '.join([*value][:KEYS])}{more}"
    elif isinstance(shape, tuple) and shape:
        yield f"{name} has the shape {tuple(map(int, shape))}"
