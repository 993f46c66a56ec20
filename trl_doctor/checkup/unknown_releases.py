"""Sentences about releases of trl and transformers that the data of the doctor do not have."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.facts.library import releases
from trl_doctor.facts.library.releases import Library
from trl_doctor.machine.environment import Environment

LIBRARIES: tuple[Library, ...] = ("trl", "transformers")


def unknown_releases(environment: Environment) -> Iterator[str]:
    """A sentence for each release that is not known, and whose sources are not here to be read."""
    for library in LIBRARIES:
        version = environment.version(library)
        if version is None or environment.source(library):
            continue
        line = releases.line(library)
        if not _is_known(version, line.versions, library):
            near = line.nearest(version)
            taken = f"; it is examined like {near}" if near else ""
            span = f"{line.versions[0]} to {line.versions[-1]}"
            yield f"{library} {version} is not a known release; known are {span}{taken}"


def _is_known(version: Version, known: list[Version], library: Library) -> bool:
    """Whether a release is among those that are known.

    Of transformers these have the first and the last patch of each minor release.
    """
    if version in known:
        return True
    return library == "transformers" and version.release[:2] in {one.release[:2] for one in known}
