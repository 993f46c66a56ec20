"""The reward functions of a script: names to import them by, and how they can be called."""

from __future__ import annotations

import ast

from trl_doctor.facts.script.syntax.code import Code
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.values import LibraryObject, Outside, Plain, Unknown, Value

OWN = "the script defines the reward functions, and the script is not run here"

REWARDS_UNKNOWN = "reward_funcs is not known"
"""How the note begins that tells why a script's reward functions have no names to import."""


def name(reading: Reading, value: Value) -> str | Unknown:
    """The name under which a reward can be imported, or loaded."""
    if isinstance(value, Plain) and isinstance(value.value, str):
        return value.value
    if isinstance(value, Outside):
        return value.name
    if isinstance(value, Function) and value.owner is None:
        piece = reading.state.pieces[value.source]
        if piece.path != reading.state.pieces[0].path and value.name != "lambda":
            return f"{piece.path.stem}.{value.name}"
        return Unknown(OWN, reading.state.span(value.node))
    if isinstance(value, LibraryObject):
        return Unknown(f"{value.of} makes a reward function", value.span)
    return value if isinstance(value, Unknown) else Unknown(OWN)


def words_of_rewards(code: Code | None) -> frozenset[str] | None:
    """The names and texts in the functions of the code that take completions; None without any."""
    functions = [
        node
        for node in (code.nodes if code else ())
        if isinstance(node, ast.FunctionDef)
        and "completions" in {argument.arg for argument in node.args.args + node.args.kwonlyargs}
    ]
    if not functions:
        return None
    words = (word for function in functions for word in map(_word, ast.walk(function)))
    return frozenset(word for word in words if isinstance(word, str))


def _word(node: ast.AST) -> object:
    """The name of a variable, attribute or argument, or a constant; None for anything else."""
    for name in ("id", "attr", "arg", "value"):
        if isinstance(word := getattr(node, name, None), str):
            return word
    return None
