"""Packages whose installation was not finished: metadata of two releases, or of another one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from trl_doctor.machine.environment import PACKAGES, Environment

SAID = re.compile(r"^__version__\s*=\s*(?:version\s*=\s*)?['\"]([^'\"]+)['\"]", re.MULTILINE)
WHERE = ("__init__.py", "version.py", "_version.py")


@dataclass(frozen=True)
class Unfinished:
    """A package in `folder` whose metadata says `versions`, and its module `module`.

    `module` is None where the module does not write its version down.
    """

    package: str
    folder: Path
    versions: tuple[Version, ...]
    module: Version | None


def unfinished(world: Environment) -> Iterator[Unfinished]:
    """The packages of a run that are installed twice, or only half."""
    for package in PACKAGES:
        found = world.metadata(package)
        if not found:
            continue
        folder = found[0][0].parent
        versions = sorted({version for entry, version in found if entry.parent == folder})
        module = _of_module(folder / package.replace("-", "_"))
        stale = module is not None and all(module.public != one.public for one in versions)
        if len(versions) > 1 or stale:
            yield Unfinished(package, folder, tuple(versions), module)


def _of_module(source: Path) -> Version | None:
    for name in WHERE:
        try:
            said = SAID.search((source / name).read_text("utf-8", errors="replace"))
            if said:
                return Version(said[1])
        except (OSError, InvalidVersion):
            continue
    return None
