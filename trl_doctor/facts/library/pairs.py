"""Pairs of trl and transformers in which a GRPO step was really tried: it ran, or failed, how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
from packaging.version import Version

from trl_doctor.facts.library.releases import DATA

RAN = "ran"


@dataclass(frozen=True)
class Failure:
    """How a pair fails: the error, when it comes ("import"), why, and what to install.

    `trainers` are those that fail ("grpo"), none for all of them. `seen` says that this very
    pair was tried; else pairs on both sides of it failed alike.
    """

    name: str
    trainers: tuple[str, ...]
    error: str
    when: str
    why: str
    remedy: str
    seen: bool


def failure(trl: Version, transformers: Version) -> Failure | None:
    """How this pair fails; None where it ran, and where nothing near it is known to fail."""
    known, failures = _data()
    tried = known.get((trl, transformers))
    if tried is None:
        name = next((name for name in failures if _between(name, trl, transformers)), None)
    else:
        name = None if tried == RAN else tried
    if name is None:
        return None
    said = {**failures[name], "trainers": tuple(failures[name]["trainers"])}
    return Failure(name, **said, seen=tried is not None)


def _between(name: str, trl: Version, transformers: Version) -> bool:
    """Whether the pair lies among pairs that failed so, with none among them that ran."""
    known, _ = _data()
    failed = [pair for pair, outcome in known.items() if outcome == name]
    ran = [pair for pair, outcome in known.items() if outcome != name]
    return any(
        low[0] <= trl <= high[0]
        and low[1] <= transformers <= high[1]
        and not any(low[0] <= t <= high[0] and low[1] <= f <= high[1] for t, f in ran)
        for low in failed
        for high in failed
    )


@cache
def _data() -> tuple[Mapping[tuple[Version, Version], str], Mapping[str, Mapping[str, Any]]]:
    said = msgspec.json.decode((DATA / "pairs.json").read_bytes())
    known = {
        (Version(trl), Version(transformers)): outcome
        for trl, row in said["pairs"].items()
        for transformers, outcome in row.items()
    }
    return known, said["failures"]
