"""Variables of the environment, as a script reads them."""

from __future__ import annotations

import ast

from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Plain, Value

SWEEP = "WANDB_SWEEP_ID"
"""The variable by which a run knows that it belongs to a sweep of Weights & Biases."""


def variable(state: State, name: str, default: Value | None, node: ast.AST) -> Value:
    """An environment variable, by the script itself, by how it is started, or by its default."""
    if name in state.set_variables:
        return state.set_variables[name].value
    if name in state.environment:
        return Plain(state.environment[name], state.span(node))
    if default is None or name in ("LOCAL_RANK", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"):
        return state.unknown(node, f"it is the environment variable {name}")
    return default
