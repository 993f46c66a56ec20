"""Silent bugs of trl by release: the advisories that ship with this, in the OSV schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import msgspec
from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library.releases import DATA


@dataclass(frozen=True)
class Affected:
    """Releases with the bug: from `introduced` on, before `fixed`, up to `last` (None: open)."""

    trainers: tuple[str, ...]
    introduced: Version
    fixed: Version | None
    last: Version | None

    def has(self, trl: Version) -> bool:
        """Whether a release is among them."""
        before_fix = self.fixed is None or trl < self.fixed
        return self.introduced <= trl and before_fix and (self.last is None or trl <= self.last)


@dataclass(frozen=True)
class Advisory:
    """A bug that does not raise.

    `condition` says when it applies. `when` is what of that shows in the run's arguments:
    the values that each must have, or `{"not": values}`; `complete` whether that is all.
    """

    id: str
    summary: str
    details: str
    affected: tuple[Affected, ...]
    references: tuple[str, ...]
    condition: str
    when: Mapping[str, Json]
    complete: bool

    def affects(self, trl: Version, trainer: str) -> Affected | None:
        """The range that a release of trl with this trainer ("grpo") falls into, or None."""
        found = (one for one in self.affected if trainer in one.trainers and one.has(trl))
        return next(found, None)

    def fits(
        self, arguments: Mapping[str, Json], defaults: Mapping[str, Json] = MappingProxyType({})
    ) -> bool:
        """Whether arguments, or else defaults, are as `when` says; one in neither counts as null.

        Raises `Unavailable` where one that decides is not known.
        """
        open_: Unavailable | None = None
        for name, said in self.when.items():
            try:
                if not _allowed(arguments.get(name, defaults.get(name)), said):
                    return False
            except Unavailable as reason:
                open_ = reason
        if open_ is not None:
            raise open_
        return True


def _allowed(value: Json, said: Json) -> bool:
    if isinstance(said, dict):
        return not _allowed(value, said["not"])
    assert isinstance(said, list)
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in said)


@cache
def advisories() -> tuple[Advisory, ...]:
    """All advisories, in the order of the data."""
    known = msgspec.json.decode((DATA / "advisories.json").read_bytes())["advisories"]
    return tuple(map(_advisory, known))


def _advisory(said: dict[str, Any]) -> Advisory:
    own = said["database_specific"]
    return Advisory(
        id=said["id"],
        summary=said["summary"],
        details=said["details"],
        affected=tuple(_affected(one) for one in said["affected"]),
        references=tuple(one["url"] for one in said["references"]),
        condition=own["condition"],
        when=own["when"],
        complete=own["complete"],
    )


def _affected(said: dict[str, Any]) -> Affected:
    events = {name: at for one in said["ranges"][0]["events"] for name, at in one.items()}
    bounds = (events.get(name) for name in ("introduced", "fixed", "last_affected"))
    introduced, fixed, last = (Version(bound) if bound else None for bound in bounds)
    assert introduced is not None
    return Affected(tuple(said["database_specific"]["trainers"]), introduced, fixed, last)
