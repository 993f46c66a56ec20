"""Loops of a script that put a text together, and keep only its last part."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.files.source.names import last_name

LEAVES = ast.Break | ast.Continue | ast.Return
"""With these a loop may look for one of the parts."""

CHOOSES = ("filter", "reversed")
"""Functions that give a loop some of the parts, or the last one first."""

PATH = re.compile(r"[^\s<>]*/[^\s<>]*")


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
        for node in parsed.nodes
        for body in (getattr(node, "body", None),)
        if isinstance(body, list)
        for name, loop, statement in _overwritten(body)
    ]


def _overwritten(body: list[ast.stmt]) -> Iterator[tuple[str, ast.For, ast.stmt]]:
    """The texts that begin empty in these statements, and that a loop in them overwrites."""
    starts = [(number, name) for number, start in enumerate(body) if (name := _empty_text(start))]
    named: dict[str, list[int]] = {}
    for number, statement in enumerate(body if starts else ()):
        for name in {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}:
            named.setdefault(name, []).append(number)
    for number, name in starts:
        after = bisect_right(named[name], number)
        following = named[name][after : after + 2]
        loop = body[following[0]] if len(following) > 1 else None
        if isinstance(loop, ast.For) and not loop.orelse:
            set_there = _set_whole(loop, name)
            if set_there is not None and not _chooses(loop):
                yield name, loop, set_there


def _empty_text(statement: ast.stmt) -> str:
    """The name of `name = ""`; "" for any other statement."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return ""
    empty = isinstance(statement.value, ast.Constant) and statement.value.value == ""
    return statement.targets[0].id if empty else ""


def _chooses(loop: ast.For) -> bool:
    """Whether a loop may want one part only, or does more than to put parts together."""
    looped = list(ast.walk(loop.iter))
    some = any(isinstance(node, ast.comprehension) and node.ifs for node in looped)
    some = some or any(isinstance(node, ast.Call) and last_name(node.func) in CHOOSES
                       for node in looped)  # fmt: skip
    inside = [node for statement in loop.body for node in ast.walk(statement)]
    return some or any(
        isinstance(node, LEAVES)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await))
        for node in inside
    )


def _set_whole(loop: ast.For, name: str) -> ast.stmt | None:
    """The statement that sets a text in each turn of a loop, if nothing else there names it."""
    named = [node for node in ast.walk(loop) if isinstance(node, ast.Name) and node.id == name]
    for statement in loop.body if len(named) == 1 else ():
        if isinstance(statement, ast.Assign) and statement.targets[0] is named[0]:
            return statement if _puts_together(statement.value, loop) else None
    return None


def _puts_together(value: ast.expr, loop: ast.For) -> bool:
    """Whether it is a text with more than what the loop is at, and no path of a file."""
    turns = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    turns |= {
        node.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    uses = any(isinstance(node, ast.Name) and node.id in turns for node in ast.walk(value))
    formatted = isinstance(value, ast.JoinedStr | ast.BinOp) or ".format(" in ast.unparse(value)
    constants = (node.value for node in ast.walk(value) if isinstance(node, ast.Constant))
    texts = [text for text in constants if isinstance(text, str)]
    return uses and formatted and bool(texts) and not any(map(PATH.fullmatch, texts))
