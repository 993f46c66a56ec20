"""What a script uses and calls of the libraries, whatever happens."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.facts.handed import Call
from trl_doctor.facts.script.trainers import used
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.state import LIBRARIES
from trl_doctor.files.source.values import Made, Span

ELSEWHERE = ("Trainer", "TrainingArguments")
"""Ends of names of classes whose arguments other rules know."""


def around(reading: Reading) -> Iterator[tuple[str, Span]]:
    """The names that a script uses of the libraries around TRL."""
    others = LIBRARIES - {"trl"}
    return ((name, at) for name, at in used(reading) if name.partition(".")[0] in others)


def calls(reading: Reading, places: Places) -> Iterator[Call]:
    """The calls of functions and classes of libraries that the script surely makes."""
    for made in reading.made:
        if made.base is None and not made.guards and not made.tried and _told_here(made):
            given = {
                name: places.place("", argument.name or argument.whole or made.span)
                for name, argument in made.given.items()
                if not argument.perhaps
            }
            open_ = made.rest is not None or len(given) < len(made.given)
            place = places.place("", made.span)
            yield Call(made.of, len(made.arguments), given, open_, place)


def _told_here(made: Made) -> bool:
    """Whether it is a plain call of a library, and no class of the script that derives from one."""
    package = made.of.partition(".")[0]
    if package not in LIBRARIES or made.fields or made.own or made.parsed:
        return False
    config = package == "trl" and made.short.endswith(("Config", "Arguments"))
    return not config and not made.short.endswith(ELSEWHERE)
