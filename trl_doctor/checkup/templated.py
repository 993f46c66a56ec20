"""A run file with variables that another program fills in: `model_name_or_path: ${MODEL}`."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Undecided
from trl_doctor.facts.partly import Partly
from trl_doctor.files.document import Document
from trl_doctor.files.programs import VARIABLE


def with_unknown_values(file: Document) -> Document:
    """The document, where values that are filled in later are not known."""
    if not isinstance(file.value, dict):
        return file
    unknown = unknown_values(file.value)
    if not unknown:
        return file
    known = {key: value for key, value in file.value.items() if key not in unknown}
    return replace(file, value=Partly(known, unknown))


def unknown_values(values: Mapping[str, Json]) -> dict[str, Undecided]:
    """The keys whose values are filled in later, with the reason why they are not known."""
    return {
        key: Undecided(f"{key} is not known: {text} is filled in by another program, not by TRL")
        for key, value in values.items()
        if (text := _filled_in(value))
    }


def _filled_in(value: Json) -> str:
    """The first text in a value that is filled in later; empty if there is none."""
    if isinstance(value, str):
        match = VARIABLE.search(value)
        return match[0] if match else ""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, map(_filled_in, parts)), "")
