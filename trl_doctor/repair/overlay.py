"""Shows the examined folders as they will be, so that the rules can judge a plan."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run import Run

SETTINGS = (".json", ".yaml", ".yml")


class Shadow:
    """Folders of links to the examined ones, with the planned contents in place of files.

    `launch` is the line of the file `launcher` that starts the run, where one does.
    """

    def __init__(self, root: Path, run: Run) -> None:
        self._root, self._alone, self._kind = root, run.target.path, run.target.kind
        self.launch, self.launcher = run.target.launch, run.target.launched_by
        folders = (model.folder for model in run.models.values())
        self._covered = [
            os.path.realpath(folder.path)
            for folder in folders
            if not isinstance(folder, Unavailable)
        ]
        self._shown = 0
        self._origins: dict[Path, Path] = {}

    def show(self, contents: Mapping[Path, bytes]) -> dict[Path, Path]:
        """Lay the contents out; gives where each folder and file is now found.

        The run file is laid out alone, and what is beside it: the folder is no part of the run.
        """
        self._shown += 1
        moved: dict[Path, Path] = {}
        for file, data in contents.items():
            if file == self._alone or not self._of_model(file):
                place = self._new_folder(file.parent, len(moved))
            else:
                if file.parent not in moved:
                    moved[file.parent] = self._linked(file.parent, len(moved))
                place = moved[file.parent]
            moved[file] = place / file.name
            moved[file].unlink(missing_ok=True)
            moved[file].write_bytes(data)
        return moved

    def _new_folder(self, folder: Path, number: int) -> Path:
        place = self._root / f"{self._shown}" / f"{number}" / folder.name
        place.mkdir(parents=True)
        self._origins[place] = folder
        return place

    def _linked(self, folder: Path, number: int) -> Path:
        place = self._new_folder(folder, number)
        for entry in folder.iterdir():
            (place / entry.name).symlink_to(entry.absolute())
        return place

    @property
    def alone(self) -> Path:
        """The run file."""
        return self._alone

    def covers(self, file: Path) -> bool:
        """Whether a file is the run file or is in a folder of one of the run's models."""
        return file == self._alone or self._of_model(file)

    def beside(self, file: Path) -> bool:
        """Whether a file of settings is the user's own: below the run file's folder, or the working
        folder if the run file is there, too."""
        run, own = os.path.realpath(self._alone), os.path.realpath(file)
        here = os.path.realpath(Path.cwd())
        is_project = here not in (os.path.realpath(Path.home()), os.path.realpath("/"))
        homes = (str(Path(run).parent), *([here] if is_project else []))
        near = any(os.path.commonpath((home, own, run)) == home for home in homes)
        mine = self._kind != "model" and near
        return mine and file.suffix in SETTINGS and "site-packages" not in file.parts

    def _of_model(self, file: Path) -> bool:
        folder = os.path.realpath(file.parent)
        return file.name not in ("", "..") and any(
            os.path.commonpath((folder, covered)) == covered for covered in self._covered
        )

    def origin(self, file: Path) -> Path:
        """The examined file that is shown under this path."""
        folder = self._origins.get(file.parent)
        return folder / file.name if folder else file
