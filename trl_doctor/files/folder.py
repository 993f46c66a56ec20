"""A model folder: its files and their contents."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files import document
from trl_doctor.files.changes import Change
from trl_doctor.files.document import Document

T = TypeVar("T")

MOST_NAMES = 20_000
"""A folder with more entries than this is not listed."""


class Folder(Struct, frozen=True, eq=False, dict=True):
    """A folder of model files; `label` is the user's name for it.

    `partial` says that its weights may be elsewhere: the local Hub cache is not complete. `changes`
    are made in memory to what is loaded from it. `stands_for` is a folder that is not here yet, and
    which will have these files, perhaps with weights of another dtype. Equal folders have equal
    paths and the same changes. Files are read at most once.
    """

    path: Path
    label: str
    partial: bool = False
    changes: tuple[Change, ...] = ()
    stands_for: str = ""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Folder):
            return NotImplemented
        return (self.path, self.changes) == (other.path, other.changes)

    def __hash__(self) -> int:
        return hash((self.path, self.changes))

    @cached_property
    def _read(self) -> dict[tuple[str, Callable[[Folder, str], Any]], Any]:
        return {}

    def file(self, name: str) -> Path:
        """The path of a file of this folder, there or not; `name` may have `/` in it."""
        return self.path / name

    def changed(self, changes: tuple[Change, ...]) -> Folder:
        """The folder with these changes made in memory, and nothing of it read yet."""
        return replace(self, changes=changes)

    def has(self, name: str) -> bool:
        """Whether there is a regular file of that name, links followed.

        Raises `Unavailable` if that cannot be seen.
        """
        try:
            return stat.S_ISREG(self.file(name).stat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except (OSError, ValueError) as error:
            raise Unavailable(f"{name} cannot be reached: {_reason(error)}") from error

    def document(self, name: str) -> Document:
        """The JSON or YAML file of that name.

        Raises `Unavailable` if there is none, and `document.Unreadable`, which is one too.
        """
        return self.once(name, _document)

    def once(self, name: str, reader: Callable[[Folder, str], T]) -> T:
        """The result of `read` for the file of that name, called once; an error is kept, too."""
        key = name, reader
        if key not in self._read:
            try:
                self._read[key] = reader(self, name)
            except Unavailable as reason:
                self._read[key] = reason
        value = self._read[key]
        if isinstance(value, Unavailable):
            raise value
        return value  # type: ignore[no-any-return]

    def get(self, name: str) -> Document | None:
        """The document, None if there is no such file; one that cannot be read raises."""
        return self.document(name) if self.has(name) else None

    def names(self) -> tuple[str, ...]:
        """The names of all entries, sorted; raises `Unavailable` if they cannot be listed."""
        names = []
        try:
            with os.scandir(self.path) as entries:
                for entry in entries:
                    names.append(entry.name)
                    if len(names) > MOST_NAMES:
                        raise Unavailable(f"{self.label} has more than {MOST_NAMES:,} entries")
        except OSError as error:
            raise Unavailable(f"{self.label} cannot be listed: {_reason(error)}") from error
        return tuple(sorted(names))


def _document(folder: Folder, name: str) -> Document:
    if folder.has(name):
        return document.read(folder.file(name))
    if folder.file(name).is_symlink():
        raise Unavailable(f"{name} is a link to a file that does not exist")
    raise Unavailable(f"there is no {name}")


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
