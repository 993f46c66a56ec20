"""What a script does with its models, and with its trainer."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Literal

from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.files.source.names import last_name

READS = ("print", "len", "type", "isinstance", "repr", "str")
MEASURES = ("evaluate", "predict", "generate", "pipeline")
"""Calls for which a script may train a model that it does not keep."""


def use_of_trainer(facts: Facts) -> Literal["given", "measured", ""]:
    """ "given" if a function gets the trainer or its model, and may save it.

    "measured" if the script evaluates the model, generates with it or returns it; "" for nothing of
    that. Raises as `code` does.
    """
    nodes = facts[code].nodes
    names = trainers(nodes)
    objects = names | {f"{name}.model" for name in names}
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    given = (value for call in calls if last_name(call.func) not in READS for value in call.args)
    if any(ast.unparse(value) in objects for value in given):
        return "given"
    returned = (node.value for node in nodes if isinstance(node, ast.Return) and node.value)
    parts = (
        ast.unparse(part)
        for value in returned
        for part in ast.walk(value)
        if isinstance(part, ast.expr)
    )
    measured = any(last_name(call.func) in MEASURES for call in calls)
    return "measured" if measured or any(part in objects for part in parts) else ""


def may_change_models(facts: Facts) -> bool:
    """Whether a function gets a loaded model, or the script sets a part of one: layers, weights.

    What a library's trainer gets is not meant. Raises as `code` does.
    """
    nodes = facts[code].nodes
    models = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and "Model" in ast.unparse(node.value).partition("(")[0]
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    calls = (node for node in nodes if isinstance(node, ast.Call))
    given = (
        value
        for call in calls
        if last_name(call.func) not in READS and not last_name(call.func).endswith("Trainer")
        for value in call.args
    )
    parts = (
        target.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute | ast.Subscript)
    )
    return any(isinstance(value, ast.Name) and value.id in models for value in given) or any(
        ast.unparse(part).partition(".")[0] in models and "config" not in ast.unparse(part)
        for part in parts
    )


def trainers(nodes: Iterable[ast.AST]) -> set[str]:
    """The expressions that hold a trainer: `trainer`, `self.trainer`."""
    return {
        ast.unparse(target)
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and last_name(node.value.func).endswith("Trainer")
        for target in node.targets
    }
