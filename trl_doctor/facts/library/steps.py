"""A library's history as steps: the value that holds from each release on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from typing import Any, TypeAlias

from msgspec import Struct
from packaging.version import Version

Steps: TypeAlias = "list[list[Any]]"
"""`[since, value]`, in the order of the releases; `[since]` alone means removed in it."""


class Lifetime(Struct, frozen=True):
    """Consecutive releases of a library that have a thing.

    `last` and `gone_in` are consecutive, and both None while the newest known release has it.
    """

    library: str
    first: Version
    last: Version | None = None
    gone_in: Version | None = None


class Line(Struct, frozen=True, eq=False, dict=True):
    """The known releases of a library, oldest first."""

    library: str
    releases: list[str]

    @cached_property
    def versions(self) -> list[Version]:
        """The releases as versions."""
        return [Version(release) for release in self.releases]

    def nearest(self, version: Version) -> Version | None:
        """The newest known release that is not newer than a version; None if all are newer."""
        place = self._place(version)
        return self.versions[place] if place >= 0 else None

    def at(self, steps: Steps, version: Version) -> Any:
        """The value in the release nearest to a version; None if the thing does not exist in it."""
        step = self._step(steps, self._place(version))
        return step[1] if len(step) > 1 else None

    def all_at(self, named: Mapping[str, Steps], version: Version) -> dict[str, Any]:
        """The values of all things that exist in the release nearest to a version."""
        place = self._place(version)
        values = ((name, self._step(steps, place)) for name, steps in named.items())
        return {name: step[1] for name, step in values if len(step) > 1}

    def lifetimes(self, steps: Steps) -> list[Lifetime]:
        """The periods in which a thing existed, oldest first."""
        spans: list[Lifetime] = []
        exists = False
        for since, *value in steps:
            place = self._places[since]
            if value and not exists:
                spans.append(Lifetime(self.library, self.versions[place]))
            elif not value:
                last, removed_in = self.versions[place - 1], self.versions[place]
                spans[-1] = Lifetime(self.library, spans[-1].first, last, removed_in)
            exists = bool(value)
        return spans

    def _place(self, version: Version) -> int:
        return bisect_right(self.versions, version) - 1

    def _step(self, steps: Steps, place: int) -> list[Any]:
        return next((step for step in reversed(steps) if self._places[step[0]] <= place), [])

    @cached_property
    def _places(self) -> dict[str, int]:
        return {release: place for place, release in enumerate(self.releases)}
