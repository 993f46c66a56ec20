"""What an environment keeps for its reward, and what it is worth before any tool was called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.script.tools import environments
from trl_doctor.files.source.objects import Class

REWARD = re.compile("reward|score|points", re.IGNORECASE)
"""Names of what a reward function reads to pay for it."""

Method = ast.FunctionDef | ast.AsyncFunctionDef


class Kept(Struct, frozen=True):
    """An attribute that `reset` sets to one number, and a method to a smaller one."""

    of: str
    name: str
    idle: float
    method: str
    worst: float
    line: int


def idle_and_worst(facts: Facts) -> Iterator[Kept]:
    """What rewards read of environments, where a method makes it worse than `reset` does."""
    read = {
        node.attr
        for node in facts[code].nodes
        if isinstance(node, ast.Attribute)
        and REWARD.search(node.attr)
        and isinstance(node.ctx, ast.Load)
        and not (isinstance(node.value, ast.Name) and node.value.id == "self")
    }
    for value in dict.fromkeys(environments(facts).values()):
        if not isinstance(value, Class) or value.node.decorator_list:
            continue
        sets = {method.name: dict(_sets(method)) for method in _methods(value.node)}
        for name, (numbers, node) in sets.pop("reset", {}).items():
            worst = min(
                ((min(made[name][0]), method) for method, made in sets.items() if name in made),
                default=None,
            )
            if name in read and len(numbers) == 1 and worst and worst[0] < numbers[0]:
                yield Kept(value.node.name, name, numbers[0], worst[1], worst[0], node.lineno)


def _methods(node: ast.ClassDef) -> Iterator[Method]:
    for statement in node.body:
        if isinstance(statement, Method) and not statement.name.startswith("__"):
            yield statement


def _sets(method: Method) -> Iterator[tuple[str, tuple[list[float], ast.stmt]]]:
    """The attributes that a method sets to numbers alone, each with these and the last line."""
    made: dict[str, tuple[list[float], ast.stmt]] = {}
    for node in ast.walk(method):
        if not isinstance(node, ast.Assign):
            continue
        numbers = list(_numbers(node.value))
        for target in node.targets if numbers else ():
            if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
                continue
            if target.value.id == "self":
                earlier = made[target.attr][0] if target.attr in made else []
                made[target.attr] = ([*earlier, *numbers], node)
    yield from made.items()


def _numbers(value: ast.expr) -> Iterator[float]:
    """The numbers that an expression may be; none if it may be something else."""
    if isinstance(value, ast.IfExp):
        branches = [list(_numbers(branch)) for branch in (value.body, value.orelse)]
        if all(branches):
            yield from (number for branch in branches for number in branch)
        return
    try:
        number = ast.literal_eval(value)
    except (ValueError, TypeError):
        return
    if isinstance(number, int | float) and not isinstance(number, bool):
        yield float(number)
