"""Runs the statements of a script that make one argument of its trainer, and nothing else of it."""

from __future__ import annotations

import ast
import linecache
import sys
import traceback
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ..child import line
from ..refusal import Refused
from .configs import made_on_cpu
from .place import held, place

T = TypeVar("T")

GIVES = "__trl_doctor_gives__"
"""The exception with which the part ends, in the place of the statement that makes the trainer."""


class _Given(BaseException):
    """The value of the trainer's argument."""


def made(part: Mapping[str, Any], roots: list[str], take: Callable[[Any], T]) -> T:
    """What `take` makes of the argument's value; raises the script's own error, or `Refused`.

    All statements that load no model are run, else those that are needed: in a folder of links,
    else in the run's own, where nothing can be written. An error is the script's if both meet it.
    """
    errors = list[Exception]()
    for which in (part["wide"], part):
        for linked in (True, False):
            try:
                with place(roots, linked=linked), made_on_cpu():
                    return take(value_of(part, which))
            except Exception as error:
                errors.append(error)
    first, other = errors[0], errors[2]
    refused = next((error for error in errors if isinstance(error, Refused)), None)
    if refused is not None:
        raise refused
    if held(other) or _spot(first, part["file"]) != _spot(other, part["file"]):
        raise Refused(f"they cannot be run alone: {line(first)}") from first
    raise other


def _spot(error: Exception, file: str) -> tuple[str, list[int]]:
    """The class of an error, and the lines of the script that led to it."""
    calls = traceback.extract_tb(error.__traceback__)
    return type(error).__name__, [call.lineno or 0 for call in calls if call.filename == file]


def value_of(part: Mapping[str, Any], which: Mapping[str, Any]) -> Any:
    """The argument's value after these statements; raises what they raise, or `Refused`."""
    file, text = part["file"], str(part["text"])
    tree = ast.parse(text)
    tree.body = list(_Pruned(part, which).block(tree.body))
    code = compile(ast.fix_missing_locations(tree), file, "exec")
    if not file.endswith(".py"):
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType("__main__")
    module.__dict__.update({"__file__": file, GIVES: _Given})
    sys.modules["__main__"] = module
    sys.argv = [file, *part["argv"]]
    try:
        exec(code, module.__dict__)
    except _Given as given:
        return given.args[0]
    except SystemExit as ended:
        raise Refused(f"the script ends with {ended} before it makes its trainer") from None
    raise Refused("the line that makes the trainer is not reached")


class _Pruned:
    """Leaves of a block the statements that run, and the line that gives the value."""

    def __init__(self, part: Mapping[str, Any], which: Mapping[str, Any]) -> None:
        self._runs, self._opens = (set(map(tuple, which[name])) for name in ("runs", "opens"))
        self._last, self._call = tuple(part["last"]), tuple(part["call"])
        self._argument = part["argument"]

    def block(self, statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
        """The statements that are left."""
        for statement in statements:
            spot = (statement.lineno, statement.col_offset)
            if spot == self._last:
                yield self._gives(statement)
            elif spot in self._runs:
                yield statement
            elif spot in self._opens:
                yield from self._opened(statement)

    def _opened(self, statement: Any) -> Iterator[ast.stmt]:
        if isinstance(statement, ast.Try):
            yield from self.block(statement.body)
            return
        statement.body = list(self.block(statement.body)) or [ast.Pass()]
        if getattr(statement, "orelse", None):
            statement.orelse = list(self.block(statement.orelse))
        yield statement

    def _gives(self, statement: ast.stmt) -> ast.stmt:
        """What raises the value of the argument, in the place of the trainer."""
        values = [
            keyword.value
            for node in ast.walk(statement)
            if isinstance(node, ast.Call) and (node.lineno, node.col_offset) == self._call
            for keyword in node.keywords
            if keyword.arg == self._argument
        ]
        call = ast.Call(ast.Name(GIVES, ast.Load()), values, [])
        return ast.copy_location(ast.Raise(call, None), statement)
