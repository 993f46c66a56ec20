"""State dicts that a script writes with the function of safetensors that refuses shared weights."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.assigned import values_by_name
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.files.source.names import last_name, root_name

SAVES, STATES = "save_file", "state_dict"
TRAINED = re.compile(r"(?:^|_)(?:model|policy|net)$")
"""The last names of expressions that are a whole model."""

OTHERS = re.compile(r"reward|ref|value|teacher|score|critic|embed", re.IGNORECASE)
"""Parts of the names of models that are not the trained one."""

CHANGES = ("pop", "popitem", "update", "clear")


class SavedState(Struct, frozen=True):
    """`save_file(model.state_dict(), …)`: the expression of the model, the place of the call."""

    model: str
    place: Place


def saved_states(facts: Facts) -> list[SavedState]:
    """Such calls, where nothing is taken out of the state dict before. Raises as `code` does."""
    parsed = facts[code]
    if not (called := _names(parsed.nodes)):
        return []
    caught = _inside_try(parsed.nodes)
    values, changed = values_by_name(parsed.nodes), _changed(parsed.nodes)
    found: list[SavedState] = []
    for node in parsed.nodes:
        if not isinstance(node, ast.Call) or not node.args or id(node) in caught:
            continue
        if ast.unparse(node.func) not in called:
            continue
        given = node.args[0]
        if isinstance(given, ast.Name):
            held = values.get(given.id, [])
            if len(held) != 1 or given.id in changed:
                continue
            given = held[0]
        if model := _model(given):
            found.append(SavedState(model, parsed.place(node)))
    return found


def _names(nodes: Sequence[ast.AST]) -> set[str]:
    """What the script may call `save_file` of `safetensors.torch`."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "") == "safetensors.torch":
            names |= {one.asname or one.name for one in node.names if one.name == SAVES}
        elif isinstance(node, ast.Import):
            names |= {
                f"{one.asname or one.name}.{SAVES}"
                for one in node.names
                if one.name == "safetensors.torch"
            }
        elif isinstance(node, ast.ImportFrom) and node.module == "safetensors":
            names |= {f"{one.asname or one.name}.{SAVES}" for one in node.names}
    return names


def _model(value: ast.expr) -> str:
    """The expression whose `state_dict()` this is, if it is a whole model; else ""."""
    if not isinstance(value, ast.Call) or value.args or value.keywords:
        return ""
    method = value.func
    if not isinstance(method, ast.Attribute) or method.attr != STATES:
        return ""
    shown = ast.unparse(method.value)
    whole = TRAINED.search(last_name(method.value)) and not OTHERS.search(shown)
    return shown if whole else ""


def _changed(nodes: Sequence[ast.AST]) -> set[str]:
    """The names whose entries the script sets, deletes or takes out."""
    return {
        root_name(node)
        for node in nodes
        if (isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.Attribute) and node.attr in CHANGES)
    }


def _inside_try(nodes: Sequence[ast.AST]) -> set[int]:
    """The nodes whose errors the script catches."""
    return {
        id(inner)
        for node in nodes
        if isinstance(node, ast.Try) and node.handlers
        for statement in node.body
        for inner in ast.walk(statement)
    }
