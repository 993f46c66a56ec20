"""The reward functions of a script: names to import them by, and how they can be called."""

from __future__ import annotations

from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.values import LibraryObject, Outside, Plain, Unknown, Value

OWN = "the script defines the reward functions, and the script is not run here"


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
