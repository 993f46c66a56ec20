"""Runs the statements of a script that make one argument of its trainer, and nothing else of it."""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .refusal import Refused

GIVES = "__trl_doctor_gives__"
"""The exception with which the part ends, in the place of the statement that makes the trainer."""


class _Given(BaseException):
    """The value of the trainer's argument."""


def value_of(part: Mapping[str, Any], names: dict[str, Any]) -> Any:
    """The argument's value; `names` become those of the module.

    Raises what the script's own statements raise, or `Refused`.
    """
    file, text = part["file"], str(part["text"])
    tree = ast.parse(text)
    tree.body = list(_Pruned(part).block(tree.body))
    code = compile(ast.fix_missing_locations(tree), file, "exec")
    if not file.endswith(".py"):
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names.update({"__name__": "__main__", "__file__": file, GIVES: _Given})
    sys.argv = [file, *part["argv"]]
    try:
        exec(code, names)
    except _Given as given:
        return given.args[0]
    except SystemExit as ended:
        raise Refused(f"the script ends with {ended} before it makes its trainer") from None
    raise Refused("the line that makes the trainer is not reached")


class _Pruned:
    """Leaves of a block the statements that run, and the line that gives the value."""

    def __init__(self, part: Mapping[str, Any]) -> None:
        self._runs, self._opens = (set(map(tuple, part[name])) for name in ("runs", "opens"))
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
