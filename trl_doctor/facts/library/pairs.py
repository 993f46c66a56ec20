"""Pairs of trl and transformers with which a GRPO step was really run, and the outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from packaging.version import Version

from trl_doctor.facts.library.releases import DATA

RAN = "ran"


class Failure(Struct, frozen=True):
    """How a pair fails: the error, the stage at which it occurs ("import"), the cause, the remedy.

    `trainers` are those that fail ("grpo"), empty for all of them. `seen` says that exactly this
    pair was tried; otherwise pairs with older and with newer releases failed in the same way.
    """

    name: str
    trainers: tuple[str, ...]
    error: str
    when: str
    why: str
    remedy: str
    seen: bool


def failure(trl: Version, transformers: Version) -> Failure | None:
    """How this pair fails; None if it ran, and where no pair near it is known to fail."""
    outcomes, failures = _data()
    tried = outcomes.get((trl, transformers))
    if tried is None:
        name = next((name for name in failures if _between(name, trl, transformers)), None)
    else:
        name = None if tried == RAN else tried
    if name is None:
        return None
    fields = {**failures[name], "trainers": tuple(failures[name]["trainers"])}
    return Failure(name, **fields, seen=tried is not None)


def _between(name: str, trl: Version, transformers: Version) -> bool:
    """Whether the pair is between pairs that failed in the same way, and no pair between them
    ran.
    """
    outcomes, _ = _data()
    failed = [pair for pair, outcome in outcomes.items() if outcome == name]
    ran = [pair for pair, outcome in outcomes.items() if outcome != name]
    return any(
        low[0] <= trl <= high[0]
        and low[1] <= transformers <= high[1]
        and not any(low[0] <= t <= high[0] and low[1] <= f <= high[1] for t, f in ran)
        for low in failed
        for high in failed
    )


@cache
def _data() -> tuple[Mapping[tuple[Version, Version], str], Mapping[str, Mapping[str, Any]]]:
    data = msgspec.json.decode((DATA / "pairs.json").read_bytes())
    outcomes = {
        (Version(trl), Version(transformers)): outcome
        for trl, row in data["pairs"].items()
        for transformers, outcome in row.items()
    }
    return outcomes, data["failures"]
