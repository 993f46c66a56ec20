"""The reward functions that a script defines itself: the part of it that they need, to be tried."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.alone import alone
from trl_doctor.files.source.document import Script
from trl_doctor.files.source.objects import Function, Instance
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import LibraryObject, Many, Outside, Value

OTHERWISE = "`trl-doctor rehearse` tries it"

ADDS = ("rollout_func", "environment_factory", "tools")
"""Arguments of the trainer that add to what its reward functions get."""


class OfScript(Struct, frozen=True):
    """The functions by names to import them by: those of the script are in its `module`.

    `part` has the statements of the script that they need, as a probe runs them.
    """

    names: tuple[str, ...]
    module: str
    part: dict[str, Json]


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
    if pieces[0].cell is not None:
        raise Unavailable(f"the notebook defines the reward functions: {OTHERWISE}")
    if isinstance(given, Many) and given.grows:
        raise Unavailable(f"how many reward functions there are is not known: {OTHERWISE}")
    module = script.path.stem.replace(".", "_")
    values = given.items if isinstance(given, Many) else [given]
    names = _apart([_name(value, pieces, module) for value in values])
    try:
        part = alone(facts, "reward_funcs").request()
    except Unavailable as reason:
        raise Unavailable(f"the reward functions cannot be called alone: {reason}") from None
    return OfScript(names, module, {**part, "module": module, "names": list(names)})


def _apart(names: Sequence[str]) -> tuple[str, ...]:
    """The names, with a number where one stands twice."""
    counts = [names[:at].count(name) for at, name in enumerate(names)]
    return tuple(f"{name}_{n + 1}" if n else name for name, n in zip(names, counts, strict=True))


def _name(value: Value, pieces: Sequence[Piece], module: str) -> str:
    """The name to import a function by; raises `Unavailable` if it is no function."""
    if isinstance(value, Outside):
        return value.name
    if isinstance(value, Function):
        other = pieces[value.source].path != pieces[0].path and value.name != "lambda"
        plain = other and value.owner is None
        return f"{pieces[value.source].path.stem if plain else module}.{value.name}"
    if isinstance(value, Instance) and value.cls is not None:
        return f"{module}.{value.cls.node.name}"
    if isinstance(value, LibraryObject) and value.short == "partial":
        return f"{module}.{value.short}"
    raise Unavailable(f"a reward function is no plain function of the script: {OTHERWISE}")
