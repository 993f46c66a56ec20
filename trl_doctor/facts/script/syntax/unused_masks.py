"""Masks and labels that a function of a script returns, and that no call of it uses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.functions.function_body import returned_values
from trl_doctor.facts.script.syntax.code import code

MASK = re.compile(r"(^|_)(masks?|labels)(_|$)")
"""Names of what says which tokens are learned."""

OTHER = re.compile(r"attention|pad|causal")
"""Such names that say something else."""

TOKENS = re.compile(r"(^|_)(ids?|tokens?|inputs?)(_|$)")
"""Names of the tokens of a row, beside which a mask is one of tokens."""


COPY = re.compile(
    r"attention_mask|^(?:list|copy|deepcopy)\(\w+\)$"
    r"|^\w*(?:ids?|tokens?|inputs?)(?:\.copy\(\)|\.clone\(\)|\[:\])?$"
)
"""What makes a mask of attention, or labels of all tokens."""

LABELS = ("labels", "completion_mask", "assistant_masks")
"""The columns of rows that say what is learned."""


class UnusedMask(Struct, frozen=True):
    """A function, the name of what it returns, and the place of the first call that drops it."""

    function: str
    name: str
    place: Place


def unused_masks(facts: Facts) -> list[UnusedMask]:
    """Each such mask or labels. Raises as `code` does."""
    parsed = facts[code]
    if _made_elsewhere(parsed.whole):
        return []
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
        masks = list(_returned(function))
        calls = _calls(parsed.whole, function.name) if masks else None
        for at, name in masks if calls else ():
            drops = all(_drops(statement, at, read) for statement in calls or ())
            if drops and not _of_all(function, name) and _are_rows(parsed.whole, function, calls):
                place = parsed.place((calls or [])[0])
                found.append(UnusedMask(function.name, name, place))
    return found


def _returned(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """The places of masks and labels in the tuple that the function always returns."""
    names = _names(function)
    if any(TOKENS.search(name) for _, name in names):
        for at, name in names:
            if MASK.search(name) and not OTHER.search(name):
                yield at, name


def _names(function: ast.FunctionDef) -> list[tuple[int, str]]:
    """The names in such a tuple."""
    values = returned_values(function)
    if not values or not all(isinstance(value, ast.Tuple) for value in values):
        return []
    first = values[0].elts if isinstance(values[0], ast.Tuple) else []
    return [(at, value.id if isinstance(value, ast.Name) else "") for at, value in enumerate(first)]


def _made_elsewhere(tree: ast.Module) -> bool:
    """Whether rows, or a collator, of the script have labels or a mask of another origin."""
    return any(
        (isinstance(node, ast.keyword) and node.arg == "data_collator")
        or (
            isinstance(node, ast.Dict)
            and any(isinstance(key, ast.Constant) and key.value in LABELS for key in node.keys)
        )
        for node in ast.walk(tree)
    )


def _of_all(function: ast.FunctionDef, name: str) -> bool:
    """Whether the mask is that of the tokenizer, or a copy of the tokens."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=False))
        for one, made in pairs:
            if isinstance(one, ast.Name) and one.id == name and COPY.search(ast.unparse(made)):
                return True
    return False


def _are_rows(tree: ast.Module, function: ast.FunctionDef, calls: list[ast.Assign] | None) -> bool:
    """Whether what a call names its tokens becomes `input_ids` of rows."""
    at = next(at for at, name in _names(function) if TOKENS.search(name))
    tokens = {
        name.id
        for call in calls or ()
        if isinstance(call.targets[0], ast.Tuple)
        and at < len(call.targets[0].elts)
        and isinstance(name := call.targets[0].elts[at], ast.Name)
    }
    values = [
        value
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "input_ids"
    ]
    return any(
        isinstance(part, ast.Name) and part.id in tokens
        for value in values
        for part in ast.walk(value)
    )


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
