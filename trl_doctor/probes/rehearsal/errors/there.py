"""What was there in the line of an error: what is None, which type, how long, and what was lost."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ...named_objects import UNKNOWN, nodes, parameters_of, parsed, resolved

Call = tuple[FrameType, int]
MOST, KEYS = 6, 16
"""The most values that are reported, and names of a list of keys."""

LONGEST = 60
"""The most characters of an expression that are reported."""

MISSING = re.compile(r"^(?:(\w[\w.]*)\(\) )?missing \d+ required (?:positional|keyword-only) arg")
SIZES = re.compile(
    r"size|shape|dimension|length|index|expand|stack|unpack|ambiguous", re.IGNORECASE
)


def there(error: BaseException, calls: list[Call]) -> Iterator[tuple[str, Any]]:
    """Facts about the objects in the line that raised an error: the innermost of Python's."""
    frame, line = calls[-1]
    values: dict[str, Any] = {}
    if isinstance(error, (AttributeError, TypeError)) and "NoneType" in str(error):
        values = {"nothing": _nothing(error, frame, line)}
    elif isinstance(error, AttributeError):
        values = _holder(error, frame, line)
    elif isinstance(error, TypeError) and (match := MISSING.match(str(error))):
        values = {"wants": _wanted(match[1] or "", frame, line)}
    elif isinstance(error, (IndexError, ValueError, RuntimeError)) and SIZES.search(str(error)):
        values = {"sizes": _sizes(frame, line)}
    yield from ((name, value) for name, value in values.items() if value)


def lost(key: str, calls: list[Call], own: Call | None) -> Iterator[tuple[str, Any]]:
    """The lines of the user's file that take a key away from the rows, as far as they say it.

    A call that is at work when the error comes has taken nothing away yet.
    """
    if own is None:
        return
    file = own[0].f_code.co_filename
    tree = parsed(file)
    running = {line for frame, line in calls if frame.f_code.co_filename == file}
    sentences = [sentence for node in (ast.walk(tree) if tree else ())
             if isinstance(node, ast.Call) and not running & {*_lines(node)}
             for sentence in _takes_away(node, key)]  # fmt: skip
    if not sentences and any(map(_drops_unused, calls)):
        sentences = [
            "the trainer removes columns that its model does not take (remove_unused_columns)"
        ]
    if sentences:
        yield "lost", sentences[:3]


def _lines(node: ast.expr) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _expressions(frame: FrameType, line: int) -> Iterator[tuple[str, Any]]:
    """The names, attributes and items of a line, with their values."""
    names = set()
    for part in nodes(frame, line):
        if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript)):
            name, value = ast.unparse(part), resolved(part, frame)
            if value is not UNKNOWN and name not in names and len(name) <= LONGEST:
                names.add(name)
                yield name, value


def _nothing(error: BaseException, frame: FrameType, line: int) -> str:
    """The expression that is None if the line needs an object; "" if it is not certain."""
    name = getattr(error, "name", None)
    for part in nodes(frame, line):
        expression: ast.AST | None = None
        if (isinstance(part, ast.Attribute) and name in (None, part.attr)) or (
            isinstance(part, ast.Subscript) and "subscript" in str(error)
        ):
            expression = part.value
        elif isinstance(part, ast.Call) and "callable" in str(error):
            expression = part.func
        elif isinstance(part, (ast.For, ast.comprehension)) and "iterable" in str(error):
            expression = part.iter
        if (
            expression is not None
            and resolved(expression, frame) is None
            and not _is_none(expression)
        ):
            return ast.unparse(expression)[:LONGEST]
    names = [shown for shown, value in _expressions(frame, line) if value is None]
    return names[0] if len(names) == 1 else ""


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _holder(error: BaseException, frame: FrameType, line: int) -> dict[str, Any]:
    """Which object of the line lacks the attribute, what it is, and how to reach its item."""
    attribute, of = getattr(error, "name", None), getattr(error, "obj", None)
    for part in nodes(frame, line):
        if isinstance(part, ast.Attribute) and part.attr == attribute:
            value, name = resolved(part.value, frame), ast.unparse(part.value)
            if value is of and len(name) <= LONGEST and not inspect.ismodule(value):
                item = type(value) is dict and attribute in value
                return {"holds": f"{name} is {_described(value)}",
                        "item": f"{name}['{attribute}']" if item else ""}  # fmt: skip
    return {}


def _described(value: Any) -> str:
    kind = type(value)
    if kind is dict:
        return f"a dict with the keys {_listed(value)}"
    if kind in (list, tuple):
        inner = f" of {type(value[0]).__name__}" if value else ""
        return f"a {kind.__name__} with {len(value)} items{inner}"
    home = "" if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}."
    return f"an object of {home}{kind.__qualname__}"


def _listed(keys: Any) -> str:
    names = [str(key)[:LONGEST] for key in list(keys)[:KEYS]]
    return ", ".join(names) + (", …" if len(keys) > KEYS else "") if names else "none"


def _wanted(called: str, frame: FrameType, line: int) -> list[str]:
    """What the function takes that was called with too little."""
    for node in nodes(frame, line):
        if isinstance(node, ast.Call):
            parameters = parameters_of(resolved(node.func, frame), called)
            if parameters:
                return parameters[:KEYS]
    return []


def _sizes(frame: FrameType, line: int) -> list[str]:
    """The shapes and lengths of what the line names."""
    sizes = []
    for name, value in _expressions(frame, line):
        of_torch = type(value).__module__.partition(".")[0] in ("torch", "numpy")
        shape = getattr(value, "shape", None) if of_torch else None
        if isinstance(shape, tuple) and all(type(size) is int for size in shape):
            sizes.append(f"{name} has the shape {tuple(shape)}")
        elif type(value) in (list, tuple, dict, str):
            sizes.append(
                f"{name} has {len(value)} {'characters' if type(value) is str else 'items'}"
            )
        elif type(value) is int:
            sizes.append(f"{name} is {value}")
    return sizes[:MOST]


def _takes_away(node: ast.Call, key: str) -> Iterator[str]:
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    texts = [part.value for argument in node.args for part in ast.walk(argument)
             if isinstance(part, ast.Constant) and isinstance(part.value, str)]  # fmt: skip
    where = f"line {node.lineno}"
    if called == "rename_column" and texts[:1] == [key] and len(texts) > 1:
        yield f"{where} renames it to '{texts[1]}'"
    elif called == "remove_columns" and key in texts:
        yield f"{where} removes it"
    elif called == "select_columns" and texts and key not in texts:
        yield f"{where} keeps only other columns (select_columns)"
    for word in node.keywords if called == "map" else ():
        if word.arg == "remove_columns":
            text = ast.unparse(word.value)
            if key in re.findall(r"\w+", text) or "column_names" in text:
                yield f"the map of {where} removes it (remove_columns={text[:LONGEST]})"


def _drops_unused(call: Call) -> bool:
    """Whether a trainer is at work that removes the columns which its model does not take."""
    trainer = call[0].f_locals.get("self")
    arguments = inspect.getattr_static(trainer, "args", None)
    return inspect.getattr_static(arguments, "remove_unused_columns", False) is True
