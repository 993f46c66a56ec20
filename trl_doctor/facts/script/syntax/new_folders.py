"""Where a script looks for a checkpoint in a folder that has another name in each run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.code import code

CLOCKS = frozenset(
    {"time.time", "time.strftime", "strftime", "time.ctime", "datetime.now", "datetime.utcnow",
     "datetime.datetime.now", "datetime.datetime.utcnow", "uuid.uuid4", "uuid4", "uuid.uuid1"}
)  # fmt: skip
"""Calls that have another result in each run."""

DAYS = frozenset("YymdbBjaAUWVG")
"""The codes of a format that are the same in all runs of a day."""


def looked_for_in_new_folder(facts: Facts) -> list[tuple[Place, str]]:
    """Each call of `get_last_checkpoint` for such a folder, with the expression that names it."""
    parsed = facts[code]
    return [(parsed.place(call), ast.unparse(name)) for call, name in _calls(parsed.whole)]


def _calls(parsed: ast.Module) -> Iterator[tuple[ast.Call, ast.expr]]:
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(parsed):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                values.setdefault(ast.unparse(target), []).append(node.value)
    for call in resumed_calls(parsed, values):
        given = call.args[:1] or [word.value for word in call.keywords[:1]]
        if given and (name := _named_anew(given[0], values)):
            yield call, name


def resumed_calls(parsed: ast.Module, values: dict[str, list[ast.expr]]) -> Iterator[ast.Call]:
    """The calls of `get_last_checkpoint` whose result is given to `resume_from_checkpoint`."""
    words = (node for node in ast.walk(parsed) if isinstance(node, ast.keyword))
    given = [word.value for word in words if word.arg == "resume_from_checkpoint"]
    for _ in range(3):
        given += [value for node in given for value in values.get(ast.unparse(node), [])]
    for node in dict.fromkeys(inner for value in given for inner in ast.walk(value)):
        if isinstance(node, ast.Call) and name_of(node.func).endswith("get_last_checkpoint"):
            yield node


def _named_anew(value: ast.expr, values: dict[str, list[ast.expr]]) -> ast.expr | None:
    """The expression that has another value in each run; None if there may be a stable one."""
    for _ in range(5):
        given = values.get(ast.unparse(value), [])
        if len(given) != 1:
            break
        value = given[0]
    return value if _changes(value, values, 5) else None


def _changes(value: ast.expr, values: dict[str, list[ast.expr]], depth: int) -> bool:
    """Whether a part of it comes from the clock, and nothing can be put in its place."""
    for node in ast.walk(value):
        if isinstance(node, ast.BoolOp | ast.IfExp) or "environ" in getattr(node, "attr", ""):
            return False
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and name_of(node.func) in CLOCKS and not _of_day(value):
            return True
        given = values.get(node.id, []) if isinstance(node, ast.Name) else []
        once = depth and len(given) == 1 and given[0] is not value and not _of_day(value)
        if once and _changes(given[0], values, depth - 1):
            return True
    return False


def _of_day(value: ast.expr) -> bool:
    """Whether it formats the time as a day: all runs of that day share the folder."""
    texts = [node.value for node in ast.walk(value) if isinstance(node, ast.Constant)]
    codes = {
        text[at + 1]
        for text in texts
        if isinstance(text, str)
        for at, char in enumerate(text[:-1])
        if char == "%"
    }
    return bool(codes) and codes <= DAYS


def name_of(function: ast.expr) -> str:
    return ast.unparse(function) if isinstance(function, ast.Name | ast.Attribute) else ""
