"""Masks and labels that a function of a script returns, and that no call of it uses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.functions.function_body import returned_values
from trl_doctor.facts.script.code import code

MASK = re.compile(r"(^|_)(masks?|labels)(_|$)")
"""Names of what says which tokens are learned."""

OTHER = re.compile(r"attention|pad|causal")
"""Such names that say something else."""

TOKENS = re.compile(r"(^|_)(ids?|tokens?|inputs?)(_|$)")
"""Names of the tokens of a row, beside which a mask is one of tokens."""


class UnusedMask(Struct, frozen=True):
    """A function, the name of what it returns, and the place of the first call that drops it."""

    function: str
    name: str
    place: Place


def unused_masks(facts: Facts) -> list[UnusedMask]:
    """Each such mask or labels. Raises as `code` does."""
    parsed = facts[code]
    functions = [node for node in parsed.nodes if isinstance(node, ast.FunctionDef)]
    names = [node.name for node in functions]
    read = {
        node.id
        for node in parsed.nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    found: list[UnusedMask] = []
    for function in functions:
        if names.count(function.name) > 1 or function.decorator_list:
            continue
        calls = _calls(parsed.whole, function.name)
        for at, name in _returned(function) if calls else ():
            if all(_drops(statement, at, read) for statement in calls or ()):
                place = parsed.place((calls or [])[0])
                found.append(UnusedMask(function.name, name, place))
    return found


def _returned(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """The places of masks and labels in the tuple that the function always returns."""
    values = returned_values(function)
    if not values or not all(isinstance(value, ast.Tuple) for value in values):
        return
    first = values[0].elts if isinstance(values[0], ast.Tuple) else []
    names = [value.id if isinstance(value, ast.Name) else "" for value in first]
    if any(map(TOKENS.search, names)):
        for at, name in enumerate(names):
            if MASK.search(name) and not OTHER.search(name):
                yield at, name


def _calls(tree: ast.Module, name: str) -> list[ast.Assign] | None:
    """The statements that take the results of a function apart; None if it is used otherwise."""
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == name
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Tuple)
    ]
    used = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    return calls if calls and len(used) == len(calls) else None


def _drops(statement: ast.Assign, at: int, read: set[str]) -> bool:
    """Whether nothing reads the name that gets a part of the result."""
    targets = statement.targets[0]
    names = targets.elts if isinstance(targets, ast.Tuple) else []
    if any(isinstance(name, ast.Starred) for name in names) or at >= len(names):
        return False
    name = names[at]
    return isinstance(name, ast.Name) and name.id not in read
