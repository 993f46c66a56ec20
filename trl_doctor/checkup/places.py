"""The places of findings as people and code hosts name files: relative, inside the repository."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from trl_doctor.checkup.location import locate
from trl_doctor.checkup.report import ShownPlace
from trl_doctor.core.finding import Place
from trl_doctor.core.plain import shown
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run import Run


@lru_cache(maxsize=8)
def repository(folder: Path) -> Path:
    """The top of the git repository around a folder; the folder itself if there is none."""
    for parent in (folder, *folder.parents):
        if os.path.lexists(parent / ".git"):
            return parent
    return folder


class Places:
    """The places of one run's findings."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.root = repository(Path.cwd())

    def spot(self, place: Place) -> ShownPlace:
        """Where a place is, as a report shows it."""
        file, foreign = shown(place.file), self.foreign(place.file)
        at = locate(place)
        if at is None:
            return ShownPlace(file, place.pointer, foreign=foreign)
        return ShownPlace(file, place.pointer, at.line, at.column, at.text, foreign, at.cell)

    def anchor(self, place: Place, at: ShownPlace) -> ShownPlace:
        """The place itself, or the line of the run file that names the model it belongs to.

        A code host shows no alert in a file that is outside the repository or behind a link,
        as those of the Hub's cache do.
        """
        if not at.foreign:
            return at
        for model in self.run.models.values():
            folder = model.folder
            if not isinstance(folder, Unavailable) and folder.path in place.file.parents:
                spot = self.spot(model.place)
                return at if spot.foreign else spot
        target = self.spot(Place(self.run.target.path))
        return at if target.foreign else target

    def foreign(self, file: Path) -> bool:
        """Whether a host of the repository cannot show this file."""
        try:
            below = file.absolute().relative_to(self.root)
            real = Path(os.path.realpath(file))
            return real != Path(os.path.realpath(self.root)) / below
        except (ValueError, OSError):
            return True

    def fingerprint(self, rule: str, place: Place, counts: Counter[str]) -> str:
        """Names a finding for as long as its rule, its file and its key stay the same.

        `counts` counts the names of one command, so that two equal ones differ.
        """
        import hashlib

        parts = (rule, self._lasting(place.file), place.pointer)
        text = "\0".join(parts).encode("utf-8", "surrogatepass")
        plain = hashlib.sha256(text).hexdigest()[:32]
        counts[plain] += 1
        return plain if counts[plain] == 1 else f"{plain}-{counts[plain]}"

    def _lasting(self, file: Path) -> str:
        """A file's name that is the same on another machine: no working folder, no revision."""
        for name in self._names(file):
            return name
        return file.name

    def _names(self, file: Path) -> Iterator[str]:
        parts = file.parts
        if "snapshots" in parts:
            at = parts.index("snapshots")
            yield "/".join((parts[at - 1], *parts[at + 2 :]))
        with suppress(ValueError, OSError):
            yield file.absolute().relative_to(self.root).as_posix()
        for model in self.run.models.values():
            folder = model.folder
            if not isinstance(folder, Unavailable) and folder.path in file.parents:
                yield f"{model.name}/{file.relative_to(folder.path).as_posix()}"
