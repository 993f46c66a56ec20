"""Probes and rules call a mistake by the same name: no error would show a misspelt one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SEEN_TWICE = {"row beyond the last"}
"""Mistakes that make a rehearsal run once more, and that this run names by an error."""


def modules(*folders: str) -> Iterator[ast.Module]:
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield ast.parse(file.read_text("utf-8"))


def constants(module: ast.Module) -> dict[str, ast.expr]:
    """The values of the names of a module, also of `ONE, OTHER = "one", "other"`."""
    values: dict[str, ast.expr] = {}
    for node in module.body:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = zip(target.elts, node.value.elts, strict=True)
                values.update({ast.unparse(name): value for name, value in pairs})
            else:
                values[ast.unparse(target)] = node.value
    return values


def text(node: ast.expr | None, names: dict[str, ast.expr]) -> str:
    """A constant text, or the one that a name of the module has; "" for any other expression."""
    node = names.get(node.id) if isinstance(node, ast.Name) else node
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else ""


def calls(module: ast.Module, *names: str) -> Iterator[ast.Call]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in names:
            yield node


def spelt(*folders: str) -> set[str]:
    """All texts in the code of these folders."""
    return {
        node.value
        for module in modules(*folders)
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_a_mistake_that_is_told_has_a_rule() -> None:
    told = {
        text(call.args[0], constants(module))
        for module in modules("trl_doctor/probes/rehearsal")
        for call in calls(module, "Mistake", "mistake_at")
    } - {""}
    assert len(told) > 60
    assert told - spelt("rules", "trl_doctor/facts") - SEEN_TWICE == set()


def test_a_mistake_that_a_rule_asks_for_is_told() -> None:
    asked = set()
    for module in modules("rules", "trl_doctor/facts"):
        names = constants(module)
        for call in calls(module, "mistakes_of"):
            asked.add(text(call.args[0], names))
        for call in calls(module, "mistake_findings"):
            given = call.args[1]
            messages = names.get(given.id) if isinstance(given, ast.Name) else given
            keys = messages.keys if isinstance(messages, ast.Dict) else ()
            asked |= {text(key, names) for key in keys}
    assert len(asked) > 60
    assert asked - {""} - spelt("trl_doctor/probes/rehearsal", "trl_doctor/rehearsing") == set()
