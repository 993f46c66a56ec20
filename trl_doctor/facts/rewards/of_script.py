"""The reward functions that a script defines itself: the part of it that they need, to be tried."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.syntax.parts import needed
from trl_doctor.files.source.document import Script
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import Many, Outside, Value

OTHERWISE = "`trl-doctor rehearse` tries it"

ADDS = ("rollout_func", "environment_factory", "tools")
"""Arguments of the trainer that add to what its reward functions get."""


class OfScript(Struct, frozen=True):
    """The functions by names to import them by: those of the script are in its `module`.

    `text` has the statements of the file that they need, each on its own line, and nothing else.
    """

    names: tuple[str, ...]
    module: str
    file: Path
    text: str


def of_script(facts: Facts) -> OfScript:
    """The functions that a script passes as `reward_funcs`.

    Raises `NotConcerned` if the run is no script with reward functions, `Unavailable` if one of
    them cannot be tried without the rest of the script.
    """
    script, given = facts.run.file, facts.run.script.value("reward_funcs")
    if not isinstance(script, Script) or given is None:
        raise NotConcerned("the run is no script with reward functions")
    for name in ADDS:
        if facts.run.script.passes(name):
            raise Unavailable(
                f"{name} gives the reward functions more than the rows do: {OTHERWISE}"
            )
    pieces = script.places.pieces
    main = pieces[0]
    if main.cell is not None:
        raise Unavailable(f"the notebook defines the reward functions: {OTHERWISE}")
    module = main.path.stem.replace(".", "_")
    values = given.items if isinstance(given, Many) and not given.grows else [given]
    names = [_name(value, pieces, module) for value in values]
    own = [name.rpartition(".")[2] for name in names if name.rpartition(".")[0] == module]
    try:
        text = needed(main.text, own) if own else ""
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unavailable(f"the script's syntax is not known: {OTHERWISE}") from None
    except Unavailable as reason:
        raise Unavailable(f"the reward functions cannot be called alone: {reason}") from None
    return OfScript(tuple(names), module, main.path, text)


def _name(value: Value, pieces: Sequence[Piece], module: str) -> str:
    """The name to import a function by; raises `Unavailable` if it has none."""
    if isinstance(value, Outside):
        return value.name
    if not isinstance(value, Function) or value.owner is not None or value.name == "lambda":
        raise Unavailable(f"a reward function is no plain function of the script: {OTHERWISE}")
    piece = pieces[value.source]
    if piece.path != pieces[0].path:
        return f"{piece.path.stem}.{value.name}"
    if value.name not in {*_defined(piece.text, value.node.lineno)}:
        raise Unavailable(f"{value.name} is defined inside of another function: {OTHERWISE}")
    return f"{module}.{value.name}"


def _defined(text: str, line: int) -> Iterator[str]:
    """The functions that a module defines itself on a line."""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.FunctionDef) and statement.lineno == line:
            yield statement.name
