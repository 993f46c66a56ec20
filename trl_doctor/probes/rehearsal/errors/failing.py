"""What an error says, and what the objects of its own calls say about it."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ...line_values import line_values
from ...named_objects import nodes, parameters_of, parsed, resolved, statement
from ..where import frames, is_own, raised_by_doctor
from .absent_file import beside, writes
from .mixed_columns import mixed_column
from .nearest import misspelt, nearest
from .there import lost, there

MOST = 24  # names that are told
UNEXPECTED = re.compile(r"^(?:(\w[\w.]*)\(\) )?got an unexpected keyword argument '(\w+)'")
QUOTED = re.compile(r"['\"](\w+)['\"]|\bname (\w+) not in")
RENAMED = {"tokenizer": "processing_class"}
MOVED = {"max_seq_length": "max_length"}
"""Keywords of trainers by their names of today, and of their configs."""

ASKED = re.compile(r"(?:getenv|environ\.get)\(\s*['\"](\w+)['\"]\s*\)")


def failing(error: BaseException) -> dict[str, Any]:
    """The error for the record: what it is, its calls, and facts that explain it."""
    try:
        facts = dict(_facts(error))
    except Exception:  # an object of the script's that cannot be looked at
        facts = {}
    details = _behind(error)
    return {"type": type(details).__name__, "message": str(details), "frames": frames(error),
            "seen": line_values(error), "facts": facts,
            "mistake_of_doctor": raised_by_doctor(error)}  # fmt: skip


def _behind(error: BaseException) -> BaseException:
    """The error that a library's lazy import only wraps: it says which package is missing."""
    cause = error.__cause__
    wraps = isinstance(error, RuntimeError) and str(error).startswith("Failed to import ")
    return cause if wraps and isinstance(cause, ImportError) else error


def _facts(error: BaseException) -> Iterator[tuple[str, Any]]:
    calls = list(_calls(error))
    own = next((call for call in reversed(calls) if is_own(call[0].f_code.co_filename)), _caller())
    if variables := _variables(error, calls, own):
        yield "variables", variables
    elif isinstance(error, KeyError) and own:
        yield from _keys(error.args[0] if error.args else None, calls, own)
    elif isinstance(error, ValueError) and own and (name := _quoted(str(error))):
        yield from _columns(name, own)
    if isinstance(error, ModuleNotFoundError) and own:
        yield "absent", _absent(own[0].f_code.co_filename)
    if isinstance(error, FileNotFoundError) and isinstance(error.filename, (str, bytes)):
        yield from beside(os.fsdecode(error.filename))
        yield "writes", bool(own and writes(*own))
    if isinstance(error, TypeError) and own and (match := UNEXPECTED.match(str(error))):
        yield from _parameters(match[1] or "", match[2], own)
    if isinstance(error, (AttributeError, NameError, ImportError)):
        yield from _names(error, own)
    if own and type(error).__name__.startswith("Arrow") and (mixed := mixed_column(*own)):
        yield "mixed", mixed
    if isinstance(error, AssertionError) and own:
        yield from _tested(*own)
    if calls:
        yield from there(error, calls)


Call = tuple[FrameType, int]


def _calls(error: BaseException) -> Iterator[Call]:
    entry = error.__traceback__
    while entry is not None:
        yield entry.tb_frame, entry.tb_lineno
        entry = entry.tb_next


def _caller() -> Call | None:
    """The script's own call into what has raised, where that is not in the error's calls."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            return frame, frame.f_lineno
        frame = frame.f_back
    return None


def _variables(error: BaseException, calls: list[Call], own: Call | None) -> list[str]:
    """Environment variables that the error's line asked for, and that are not set."""
    inner = calls[-1][0] if calls else None
    if isinstance(error, KeyError) and inner and inner.f_locals.get("self") is os.environ:
        return [str(inner.f_locals.get("key"))]
    if isinstance(error, TypeError) and own and "NoneType" in str(error):
        variables = ASKED.findall(statement(*own))
        return [name for name in variables if name not in os.environ]
    return []


def _keys(key: Any, calls: list[Call], own: Call) -> Iterator[tuple[str, Any]]:
    """The keys of the object that lacks a key: the user's own object, else a library's."""
    for place in (own, *calls[:-4:-1]):
        for node in nodes(*place):
            if isinstance(node, ast.Subscript) and resolved(node.slice, place[0]) == key:
                keys = _keys_of(resolved(node.value, place[0]))
                if keys is not None and key not in keys:
                    yield from _there(node.value, keys, str(key))
                    yield from lost(str(key), calls, own)
                    return


def _columns(names: list[str], own: Call) -> Iterator[tuple[str, Any]]:
    """The columns of the line's data set, where a message names one that it does not have."""
    for node in nodes(*own):
        if isinstance(node, (ast.Name, ast.Attribute)):
            holder = resolved(node, own[0])
            columns = None if isinstance(holder, dict) else _keys_of(holder)
            absent_names = [name for name in names if columns and name not in columns]
            constants = {part.value for part in nodes(*own) if isinstance(part, ast.Constant)}
            if columns and absent_names and absent_names[0] in constants:
                yield from _there(node, columns, absent_names[0])
                yield "columns", True
                return


def _quoted(message: str) -> list[str]:
    return [first or second for first, second in QUOTED.findall(message)]


def _there(holder: ast.expr, keys: list[Any], key: str) -> Iterator[tuple[str, Any]]:
    yield "holder", ast.unparse(holder)[:60]
    yield "keys", [str(name) for name in keys][:MOST]
    yield "similar", nearest(key, [str(name) for name in keys])


def _keys_of(holder: Any) -> list[Any] | None:
    if isinstance(holder, dict) or type(holder).__name__ in ("LazyRow", "LazyBatch", "DatasetDict"):
        return list(holder.keys())
    columns = getattr(type(holder), "column_names", None) and holder.column_names
    return list(columns) if isinstance(columns, list) else None


def _absent(file: str) -> list[str]:
    """The modules that a file imports at its top, and that are not installed."""
    tree = parsed(file)
    if tree is None:
        return []
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            names += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.append(node.module or "")
    tops = dict.fromkeys(name.partition(".")[0] for name in names)
    return [name for name in tops if name and not _is_there(name)][:MOST]


def _is_there(name: str) -> bool:
    try:
        return name in sys.modules or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _parameters(called: str, refused: str, own: Call) -> Iterator[tuple[str, Any]]:
    """What the function takes that refused a keyword."""
    for node in nodes(*own):
        if isinstance(node, ast.Call):
            parameters = parameters_of(resolved(node.func, own[0]), called)
            if parameters and refused not in parameters:
                yield "refused", refused
                yield "takes", parameters[:MOST]
                yield "similar", RENAMED.get(refused, "") or nearest(refused, parameters)
                yield from _config(node, refused, own)
                return


def _config(call: ast.Call, refused: str, own: Call) -> Iterator[tuple[str, Any]]:
    """The config that the call is given too, where that takes the keyword."""
    value = next((keyword.value for keyword in call.keywords if keyword.arg == "args"), None)
    config = resolved(value, own[0]) if value else None
    fields = getattr(type(config), "__dataclass_fields__", {})
    name = MOVED.get(refused, refused)
    if name in fields:
        yield "config", f"{type(config).__name__}({name}=…)"


def _tested(frame: FrameType, line: int) -> Iterator[tuple[str, Any]]:
    """What an assertion tests, and the numbers in it."""
    for node in nodes(frame, line)[:1]:
        if isinstance(node, ast.Assert):
            yield "tested", ast.unparse(node.test)[:200]
            values = {ast.unparse(part): resolved(part, frame) for part in ast.walk(node.test)
                     if isinstance(part, (ast.Name, ast.Attribute))}  # fmt: skip
            yield "values", {name: value for name, value in values.items()
                             if value is None or isinstance(value, (bool, int, float))}  # fmt: skip


def _names(error: BaseException, own: Call | None) -> Iterator[tuple[str, Any]]:
    """The names that are most like one that is not there."""
    name = getattr(error, "name", None)
    if isinstance(error, ImportError):
        match = re.match(r"cannot import name '(\w+)' from", str(error))
        holder = sys.modules.get(str(name))
        if match and holder is not None:
            yield "similar", nearest(match[1], dir(holder))
    elif isinstance(error, AttributeError) and name:
        names = [other for other in dir(error.obj) if other[:1] != "_"]
        new = RENAMED.get(name, "")
        yield "similar", new if hasattr(error.obj, new or "?") else misspelt(name, names)
        classes = [kind.__name__ for kind in type(error.obj).__mro__ if _of_trl(kind)]
        if classes:
            yield "classes", classes
            yield "asked", name
    elif isinstance(error, NameError) and name and own:
        visible_names = (*own[0].f_locals, *own[0].f_globals, *dir(builtins))
        yield "similar", nearest(name, visible_names)


def _of_trl(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "trl"
