"""Loops of a script that put a text together, and keep only its last part."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.code import code


class Overwritten(Struct, frozen=True):
    """`name` is set anew in each turn of the loop over `over`; `place` is that of the statement."""

    name: str
    over: str
    place: Place


def overwritten_texts(facts: Facts) -> list[Overwritten]:
    """Each such text. Raises as `code` does."""
    parsed = facts[code]
    return [
        Overwritten(name, ast.unparse(loop.iter), parsed.place(statement))
        for node in ast.walk(parsed.whole)
        for body in (getattr(node, "body", None),)
        if isinstance(body, list)
        for name, loop, statement in _overwritten(body)
    ]


def _overwritten(body: list[ast.stmt]) -> Iterator[tuple[str, ast.For, ast.stmt]]:
    """The texts that begin empty in these statements, and that a loop in them overwrites."""
    for number, start in enumerate(body):
        name = _empty_text(start)
        for later, loop in enumerate(body[number + 1 :], number + 1) if name else ():
            if isinstance(loop, ast.For) and not loop.orelse:
                set_there = _set_whole(loop, name)
                if set_there is not None and _reads(body[later + 1 :], name):
                    yield name, loop, set_there
            if _names(loop, name):
                break


def _empty_text(statement: ast.stmt) -> str:
    """The name of `name = ""`; "" for any other statement."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return ""
    empty = isinstance(statement.value, ast.Constant) and statement.value.value == ""
    return statement.targets[0].id if empty else ""


def _set_whole(loop: ast.For, name: str) -> ast.stmt | None:
    """The statement that sets a text in each turn of a loop, if nothing else there names it."""
    named = [node for node in ast.walk(loop) if isinstance(node, ast.Name) and node.id == name]
    ends = any(isinstance(node, ast.Break | ast.Return) for node in ast.walk(loop))
    for statement in loop.body if len(named) == 1 and not ends else ():
        if isinstance(statement, ast.Assign) and statement.targets[0] is named[0]:
            return statement if _puts_together(statement.value, loop) else None
    return None


def _puts_together(value: ast.expr, loop: ast.For) -> bool:
    """Whether it is a text with more than what the loop is at."""
    turns = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    turns |= {
        node.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    uses = any(isinstance(node, ast.Name) and node.id in turns for node in ast.walk(value))
    formatted = isinstance(value, ast.JoinedStr | ast.BinOp) or ".format(" in ast.unparse(value)
    texts = (node.value for node in ast.walk(value) if isinstance(node, ast.Constant))
    return uses and formatted and any(isinstance(text, str) for text in texts)


def _names(statement: ast.stmt, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement))


def _reads(statements: list[ast.stmt], name: str) -> bool:
    return any(_names(statement, name) for statement in statements)
