"""Arguments of reward functions that are no columns: what the script's own rollouts add."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec.structs import replace

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.functions.function_body import body_nodes, returned_values
from trl_doctor.facts.functions.signatures import Signature
from trl_doctor.facts.passed import Passed
from trl_doctor.facts.script.passed import function

ROLLOUT, ENVIRONMENT = "rollout_func", "environment_factory"
"""The arguments of a trainer that make completions, and those beside them."""

ENVIRONMENTS = "environments"
"""What TRL passes to reward functions where the trainer has environments."""

PREPARE = frozenset({
    "_calculate_rewards", "_generate", "_generate_and_score_completions", "_prepare_inputs",
    "training_step",
})  # fmt: skip
"""Methods of a trainer that can add arguments to the calls of reward functions."""


def without_added(signature: Signature, passed: Passed) -> Signature:
    """The signature without the names that the trainer surely, or perhaps, adds.

    TRL passes all that a `rollout_func` returns besides its ids and log-probabilities.
    """
    try:
        added = _added(passed)
    except Unavailable:
        return replace(signature, wants=(), looked_up=())
    wants, looked_up = (
        tuple(name for name in names if name not in added)
        for names in (signature.wants, signature.looked_up)
    )
    return replace(signature, wants=wants, looked_up=looked_up)


def _added(passed: Passed) -> set[str]:
    """The names that are no columns; raises `Unavailable` if they are not known."""
    if PREPARE & passed.methods.keys():
        raise Unavailable("the script's own trainer prepares what reward functions get")
    names = {ENVIRONMENTS} if passed.has(ENVIRONMENT) else set()
    if not passed.has(ROLLOUT):
        return names
    rollout = function(passed.values.get(ROLLOUT))
    returned = _keys(rollout.node) if rollout else None
    if returned is None:
        raise Unavailable("what the script's rollout_func returns is not known")
    return names | returned


def _keys(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str] | None:
    """The keys of all dictionaries that a function returns; None if they are not known."""
    keys: set[str] = set()
    for value in returned_values(node):
        of_value = _of_name(node, value.id) if isinstance(value, ast.Name) else _written(value)
        if of_value is None:
            return None
        keys |= of_value
    return keys


def _of_name(node: ast.AST, name: str) -> set[str] | None:
    """The keys of a variable that is only assigned dictionaries, and whose keys are only set."""
    keys: set[str] = set()
    plain, whole = 0, 0
    for part in body_nodes(node):
        if isinstance(part, ast.Name) and part.id == name:
            whole += 1
        if isinstance(part, ast.Return) and getattr(part.value, "id", "") == name:
            plain += 1
        if isinstance(part, ast.Subscript) and getattr(part.value, "id", "") == name:
            plain += 1
            if not isinstance(part.slice, ast.Constant):
                return None
            keys.add(str(part.slice.value))
        for target, value in _assigned(part):
            if getattr(target, "id", "") == name:
                of_value = _written(value)
                if of_value is None:
                    return None
                plain += 1
                keys |= of_value
    return keys if plain == whole else None


def _assigned(part: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    if isinstance(part, ast.Assign):
        yield from ((target, part.value) for target in part.targets)
    elif isinstance(part, ast.AnnAssign):
        yield part.target, part.value


def _written(value: ast.expr | None) -> set[str] | None:
    """The keys of a dictionary that is written out: `{…}` or `dict(…)`."""
    if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "dict" and not value.args:
        named = [keyword.arg for keyword in value.keywords]
        return None if None in named else {str(name) for name in named}
    if not isinstance(value, ast.Dict):
        return None
    texts = [key.value for key in value.keys if isinstance(key, ast.Constant)]
    return {str(text) for text in texts} if len(texts) == len(value.keys) else None
