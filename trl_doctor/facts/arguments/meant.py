"""The name that was probably meant by a key that no class takes."""

from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Json
from trl_doctor.facts.arguments.other_names import OTHER_NAMES, UNCLEAR
from trl_doctor.facts.arguments.other_program import SCRIPTS
from trl_doctor.facts.arguments.unknown import UnknownArguments
from trl_doctor.facts.library import releases
from trl_doctor.facts.run import OWN_KEYS

ALIKE, OWN_ALIKE, AKIN = 0.88, 0.93, 0.75
"""The share of common letters (difflib's ratio) that makes a misspelling, and a mere hint."""


def near(key: str, unknown: UnknownArguments, present: Mapping[str, Json]) -> list[str]:
    """The names that were probably meant, likeliest first; none that the run also sets."""
    from trl_doctor.core.similar import similar

    plain = key.lower().replace("-", "_")
    if (name := OTHER_NAMES.get(plain)) and name in unknown.accepted.fields:
        return [name] if name not in present else []
    candidates = [name for name in UNCLEAR.get(plain, ()) if name in unknown.accepted.fields]
    candidates = candidates or similar(plain, unknown.accepted.fields, 2, ALIKE)
    candidates = candidates or similar(plain, OWN_KEYS, 2, OWN_ALIKE)
    if key in SCRIPTS or any(_letters(name) == _letters(key) for name in candidates):
        return []  # `delta1` is another thing than `delta`
    return [name for name in candidates if name not in present]


def former(key: str, unknown: UnknownArguments) -> str:
    """The name that was probably meant, if only other releases of trl have it; "" for none."""
    from trl_doctor.core.similar import similar

    fields = unknown.accepted.fields
    every = {*fields, *releases.names(unknown.trainer.config)}
    for name in similar(key.lower().replace("-", "_"), every, 1, ALIKE):
        own = key in SCRIPTS or _letters(name) == _letters(key)
        return "" if name in fields or own else name
    return ""


def hints(keys: list[str], unknown: UnknownArguments) -> Iterator[str]:
    """The names that are most like these keys, a clause for each."""
    from trl_doctor.core.similar import similar

    for key in keys[:5]:
        for name in similar(key, unknown.accepted.fields, 1, AKIN):
            yield f"the name nearest to {key} is {name}"


def _letters(name: str) -> str:
    return name.rstrip("0123456789")
