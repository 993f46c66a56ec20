"""Known bugs of trl by release: the advisories that ship with this, in the OSV schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import msgspec
from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library.releases import DATA

FOLDER = DATA / "advisories"
ABSENT = "absent"

Kind: TypeAlias = Literal["silent", "raises"]


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

    def __str__(self) -> str:
        parts = [f">={self.introduced}"] if self.introduced != Version("0") else []
        parts += [f"<{self.fixed}"] if self.fixed else []
        parts += [f"<={self.last}"] if self.last else []
        return ",".join(parts) or "all"


@dataclass(frozen=True)
class Advisory:
    """A bug of some releases of trl.

    `kind` tells whether it raises. `condition` says when it applies. `when` is what of that shows
    in the run's arguments: the values that each must have, or `{"not": values}`; `complete` whether
    that is all; `by_default` whether it also applies where the run sets none of them. `libraries`
    are the versions of other packages with which it shows, `"absent"` for one that is not
    installed. `told_by` names the rule that looks for it more closely, "" for none. `seen` says
    whether it was seen in a real run, else its source was read. `said` is the OSV object.
    """

    id: str
    kind: Kind
    summary: str
    affected: tuple[Affected, ...]
    references: tuple[str, ...]
    condition: str
    when: Mapping[str, Json]
    complete: bool
    by_default: bool
    libraries: Mapping[str, str]
    remedy: str
    told_by: str
    seen: bool
    said: Mapping[str, Any]

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
        if self.when and not self.by_default and not set(self.when) & set(arguments):
            return False
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

    def fits_libraries(self, versions: Mapping[str, Version | None]) -> bool | None:
        """Whether other packages are as `libraries` says; None where one is not known.

        `versions` has None for a package that is known not to be installed.
        """
        found = [_within(versions, name, said) for name, said in self.libraries.items()]
        return False if False in found else None if None in found else True


def _allowed(value: Json, said: Json) -> bool:
    if isinstance(said, dict):
        return not _allowed(value, said["not"])
    assert isinstance(said, list)
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in said)


def _within(versions: Mapping[str, Version | None], name: str, said: str) -> bool | None:
    from packaging.specifiers import SpecifierSet  # slow to import, and rarely asked for

    if name not in versions:
        return None
    version = versions[name]
    if said == ABSENT or version is None:
        return said == ABSENT and version is None
    return SpecifierSet(said).contains(version, prereleases=True)


@cache
def advisories() -> tuple[Advisory, ...]:
    """All advisories, by their ids."""
    files = sorted(FOLDER.glob("*.json"))
    return tuple(_advisory(msgspec.json.decode(file.read_bytes())) for file in files)


def _advisory(said: dict[str, Any]) -> Advisory:
    own = said["database_specific"]
    return Advisory(
        id=said["id"],
        kind=own["kind"],
        summary=said["summary"],
        affected=tuple(_affected(one) for one in said["affected"]),
        references=tuple(one["url"] for one in said["references"]),
        condition=own["condition"],
        when=own["when"],
        complete=own["complete"],
        by_default=own.get("by_default", False),
        libraries=own.get("libraries", {}),
        remedy=own.get("remedy", ""),
        told_by=own.get("told_by", ""),
        seen="shown" in own.get("runs", {}).values(),
        said=said,
    )


def _affected(said: dict[str, Any]) -> Affected:
    events = {name: at for one in said["ranges"][0]["events"] for name, at in one.items()}
    bounds = (events.get(name) for name in ("introduced", "fixed", "last_affected"))
    introduced, fixed, last = (Version(bound) if bound else None for bound in bounds)
    assert introduced is not None
    return Affected(tuple(said["database_specific"]["trainers"]), introduced, fixed, last)
