"""The first rows of the run's own data, where they lie in a local file of JSON."""

from __future__ import annotations

import itertools

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import dataset
from trl_doctor.facts.facts import Facts
from trl_doctor.probes.reading import json_rows

MOST, LARGEST = 64, 16 * 2**20
"""Rows that are looked at, and bytes of a row or of a file that is one list."""

KEYS = ("datasets", "dataset_name")
"""Where a run names its data; TRL reads the second only where the first is not there."""


def own_rows(facts: Facts) -> list[dict[str, Json]]:
    """The first rows; raises `NotConcerned` where the run names no data, else `Unavailable`."""
    key = named_by(facts)
    found = dataset.files(facts)
    if not found:
        name = facts.run.arguments[key]
        if isinstance(name, str) and not dataset.standing(facts, name):
            raise dataset.absent(name)
        raise Unavailable(f"{key} names no local file with rows of JSON")
    try:
        rows = list(itertools.islice(json_rows(found[0], LARGEST), MOST))
    except (OSError, ValueError, RecursionError) as error:
        raise Unavailable(f"{found[0].name} cannot be read: {error}") from None
    if not rows:
        raise Unavailable(f"{found[0].name} has no rows")
    return rows


def named_by(facts: Facts) -> str:
    """The argument that names the data; raises `NotConcerned` where none does."""
    key = next((key for key in KEYS if facts.run.arguments.get(key)), "")
    if not key:
        raise NotConcerned("the run names no data")
    return key


def file_name(facts: Facts) -> str:
    """The name of the file that the rows are in."""
    return dataset.files(facts)[0].name
