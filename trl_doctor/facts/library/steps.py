"""A library's history, told in steps: what held from which release on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from packaging.version import Version

Steps: TypeAlias = "list[list[Any]]"
"""`[since, value]`, in the order of the releases; `[since]` alone means gone from there on."""


@dataclass(frozen=True)
class Lifetime:
    """The releases of a library that have a thing, without a gap.

    `last` and `gone_in` are neighbours, both None while the newest known release has it.
    """

    library: str
    first: Version
    last: Version | None = None
    gone_in: Version | None = None


@dataclass(frozen=True, eq=False)
class Line:
    """The known releases of a library, oldest first."""

    library: str
    releases: list[str]

    @cached_property
    def versions(self) -> list[Version]:
        """The releases as versions."""
        return [Version(release) for release in self.releases]

    def nearest(self, version: Version) -> Version | None:
        """The newest known release that is not newer than a version; None where all are."""
        place = self._place(version)
        return self.versions[place] if place >= 0 else None

    def at(self, steps: Steps, version: Version) -> Any:
        """The value in the release nearest to a version; None where the thing is not there."""
        step = self._step(steps, self._place(version))
        return step[1] if len(step) > 1 else None

    def all_at(self, named: Mapping[str, Steps], version: Version) -> dict[str, Any]:
        """The values of all things that are there in the release nearest to a version."""
        place = self._place(version)
        found = ((name, self._step(steps, place)) for name, steps in named.items())
        return {name: step[1] for name, step in found if len(step) > 1}

    def lifetimes(self, steps: Steps) -> list[Lifetime]:
        """The times in which a thing was there, oldest first."""
        spans: list[Lifetime] = []
        there = False
        for since, *value in steps:
            place = self._places[since]
            if value and not there:
                spans.append(Lifetime(self.library, self.versions[place]))
            elif not value:
                before, here = self.versions[place - 1], self.versions[place]
                spans[-1] = Lifetime(self.library, spans[-1].first, before, here)
            there = bool(value)
        return spans

    def _place(self, version: Version) -> int:
        return bisect_right(self.versions, version) - 1

    def _step(self, steps: Steps, place: int) -> list[Any]:
        return next((one for one in reversed(steps) if self._places[one[0]] <= place), [])

    @cached_property
    def _places(self) -> dict[str, int]:
        return {release: place for place, release in enumerate(self.releases)}
