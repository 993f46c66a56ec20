"""Known bugs of trl by release: the advisories of this package, in the OSV schema."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library.releases import DATA

FOLDER = DATA / "advisories"
ABSENT = "absent"

Kind: TypeAlias = Literal["silent", "raises"]


class Affected(Struct, frozen=True):
    """Releases with the bug: from `introduced` on, before `fixed`, up to `last` (None: no end)."""

    trainers: tuple[str, ...]
    introduced: Version
    fixed: Version | None
    last: Version | None

    def has(self, trl: Version) -> bool:
        """Whether a release has the bug."""
        before_fix = self.fixed is None or trl < self.fixed
        return self.introduced <= trl and before_fix and (self.last is None or trl <= self.last)

    def __str__(self) -> str:
        bounds = [f">={self.introduced}"] if self.introduced != Version("0") else []
        bounds += [f"<{self.fixed}"] if self.fixed else []
        bounds += [f"<={self.last}"] if self.last else []
        return ",".join(bounds) or "all"


class Advisory(Struct, frozen=True):
    """A bug of some releases of trl.

    `kind` says whether it raises an error. `condition` says when it applies. `arguments` is the
    part of the condition that the run's arguments show: the values that each must have,
    `{"not": values}`, or `{"unlike": NAME}` for a value that is set and is not that of the other
    argument; `complete` says whether that is the whole condition; `by_default` whether the
    bug also applies where the run sets none of them. `libraries` are the versions of other packages
    with which it occurs, `"absent"` for a package that is not installed. `reported_by` names the
    rule that checks it in more detail, "" for none. `reproduced` says whether it was seen in a real
    run; otherwise it was found in the source. `osv` is the OSV object.
    """

    id: str
    kind: Kind
    summary: str
    affected: tuple[Affected, ...]
    references: tuple[str, ...]
    condition: str
    arguments: Mapping[str, Json]
    complete: bool
    by_default: bool
    libraries: Mapping[str, str]
    remedy: str
    reported_by: str
    reproduced: bool
    osv: Mapping[str, Any]

    def affects(self, trl: Version, trainer: str) -> Affected | None:
        """The affected range that contains a release of trl and this trainer ("grpo"), or None."""
        matching = (
            affected
            for affected in self.affected
            if trainer in affected.trainers and affected.has(trl)
        )
        return next(matching, None)

    def fits(
        self, arguments: Mapping[str, Json], defaults: Mapping[str, Json] = MappingProxyType({})
    ) -> bool:
        """Whether arguments, or else defaults, match the condition; a missing one counts as null.

        Raises `Unavailable` if a value that decides is not known.
        """
        if self.arguments and not self.by_default and not set(self.arguments) & set(arguments):
            return False
        unknown: Unavailable | None = None
        for name, condition in self.arguments.items():
            try:
                value = arguments.get(name, defaults.get(name))
                if isinstance(condition, dict) and "unlike" in condition:
                    other = str(condition["unlike"])
                    condition = {"not": [None, arguments.get(other, defaults.get(other))]}
                if not _allowed(value, condition):
                    return False
            except Unavailable as reason:
                unknown = reason
        if unknown is not None:
            raise unknown
        return True

    def fits_libraries(self, versions: Mapping[str, Version | None]) -> bool | None:
        """Whether other packages match `libraries`; None if a version is not known.

        `versions` has None for a package that is known not to be installed.
        """
        results = [_within(versions, name, specifier) for name, specifier in self.libraries.items()]
        return False if False in results else None if None in results else True


def _allowed(value: Json, condition: Json) -> bool:
    if isinstance(condition, dict):
        return not _allowed(value, condition["not"])
    assert isinstance(condition, list)
    return any(
        value == allowed and isinstance(value, bool) == isinstance(allowed, bool)
        for allowed in condition
    )


def _within(versions: Mapping[str, Version | None], name: str, specifier: str) -> bool | None:
    from packaging.specifiers import SpecifierSet  # slow to import, and rarely asked for

    if name not in versions:
        return None
    version = versions[name]
    if specifier == ABSENT or version is None:
        return specifier == ABSENT and version is None
    return SpecifierSet(specifier).contains(version, prereleases=True)


@cache
def advisories() -> tuple[Advisory, ...]:
    """All advisories, in the order of their ids."""
    files = sorted(FOLDER.glob("*.json"))
    return tuple(_advisory(msgspec.json.decode(file.read_bytes())) for file in files)


def _advisory(osv: dict[str, Any]) -> Advisory:
    details = osv["database_specific"]
    return Advisory(
        id=osv["id"],
        kind=details["kind"],
        summary=osv["summary"],
        affected=tuple(_affected(affected) for affected in osv["affected"]),
        references=tuple(reference["url"] for reference in osv["references"]),
        condition=details["condition"],
        arguments=details["when"],
        complete=details["complete"],
        by_default=details.get("by_default", False),
        libraries=details.get("libraries", {}),
        remedy=details.get("remedy", ""),
        reported_by=details.get("told_by", ""),
        reproduced="shown" in details.get("runs", {}).values(),
        osv=osv,
    )


def _affected(affected: dict[str, Any]) -> Affected:
    events = {
        name: release
        for event in affected["ranges"][0]["events"]
        for name, release in event.items()
    }
    bounds = (events.get(name) for name in ("introduced", "fixed", "last_affected"))
    introduced, fixed, last = (Version(bound) if bound else None for bound in bounds)
    assert introduced is not None
    return Affected(tuple(affected["database_specific"]["trainers"]), introduced, fixed, last)
