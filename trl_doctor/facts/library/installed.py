"""Packages with an unfinished installation: metadata of two releases, or of another release."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from packaging.version import InvalidVersion, Version

from trl_doctor.machine.environment import PACKAGES, Environment

SAID = re.compile(r"^__version__\s*=\s*(?:version\s*=\s*)?['\"]([^'\"]+)['\"]", re.MULTILINE)
WHERE = ("__init__.py", "version.py", "_version.py")


class Unfinished(Struct, frozen=True):
    """A package that is installed twice, or only half.

    `versions` are the versions in the metadata of a package in `folder`, `module` is the version
    that its module states, None if it states none.
    """

    package: str
    folder: Path
    versions: tuple[Version, ...]
    module: Version | None


def unfinished(world: Environment) -> Iterator[Unfinished]:
    """The packages of a run that are installed twice, or only half."""
    for package in PACKAGES:
        metadata = world.metadata(package)
        if not metadata:
            continue
        folder = metadata[0][0].parent
        versions = sorted({version for entry, version in metadata if entry.parent == folder})
        module = _of_module(folder / package.replace("-", "_"))
        stale = module is not None and all(module.public != version.public for version in versions)
        if len(versions) > 1 or stale:
            yield Unfinished(package, folder, tuple(versions), module)


def _of_module(source: Path) -> Version | None:
    for name in WHERE:
        try:
            assignment = SAID.search((source / name).read_text("utf-8", errors="replace"))
            if assignment:
                return Version(assignment[1])
        except (OSError, InvalidVersion):
            continue
    return None
