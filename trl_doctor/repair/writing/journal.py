"""The record of a change to several files: which they are, what they were and what they become."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from trl_doctor.core.records import RECORDS, UNFINISHED
from trl_doctor.repair.writing.directory import ELSEWHERE, Directory, WriteRefused, opened
from trl_doctor.repair.writing.seal import sealed, unsealed

JOURNAL = "journal"
JOURNAL_SIZE = 1 << 20
_LOCK, _IGNORE = "lock", ".gitignore"
_ID = re.compile("[0-9a-f]{16}")
_FINISHED = re.compile(r"(\d{1,9})-[0-9a-f]{16}", re.ASCII)


class Entry(Struct, frozen=True):
    """A file by its folder's number and its name there; its contents by SHA-256.

    None for a content says that there is no file.
    """

    folder: int
    name: str
    before: str | None
    after: str | None


class Journal(Struct, frozen=True):
    """One change. `undoes` is the id of another change.

    `folders` are real, absolute paths; "." alone is the folder where the journal is found.

    Every folder holds the same journal, byte for byte. The first one also holds the mark that
    tells a change that will happen from one that never did.
    """

    id: str
    folders: tuple[str, ...]
    entries: tuple[Entry, ...]
    undoes: str = ""

    def text(self) -> bytes:
        """The journal as it is written, under this user's seal."""
        import json

        return sealed(json.dumps({"format": 1} | to_builtins(self), indent=1).encode())

    @property
    def names(self) -> str:
        """Its files, for a sentence."""
        return ", ".join(entry.name for entry in self.entries) or "nothing"


def parsed(text: bytes) -> Journal | None:
    """The journal in this text, None if it is not sealed by this user or leads outside."""
    import json

    content = unsealed(text)
    if content is None:
        return None
    fields: dict[str, Any] = json.loads(content)
    if fields.pop("format") != 1:
        return None
    entries = tuple(Entry(**entry) for entry in fields.pop("entries"))
    journal = Journal(folders=tuple(fields.pop("folders")), entries=entries, **fields)
    inside = all(
        0 <= entry.folder < len(journal.folders) and stays_inside(entry.name) for entry in entries
    )
    return journal if inside and _ID.fullmatch(journal.id) else None


def stays_inside(name: str) -> bool:
    """Whether a route ("a/b.json") leads to a file in its folder, and not to the records there."""
    parts = name.casefold().split("/")
    return "\0" not in name and not {"", ".", "..", RECORDS} & set(parts)


class Home(Struct, frozen=True):
    """A folder in which files change, and the records in it, open and locked."""

    folder: Directory
    records: Directory

    @contextmanager
    def part(self, record: str = UNFINISHED) -> Iterator[Directory | None]:
        """The folder of one change, None if there is none."""
        if self.records.status(record) is None:
            yield None
            return
        with self.records.enter(record) as part:
            yield part

    def finished(self) -> list[tuple[int, str, Journal]]:
        """The changes that were made here, first to last: number, folder's name and journal."""
        changes = []
        for record in self.records.names():
            match = _FINISHED.fullmatch(record)
            journal = self.journal(record) if match else None
            if match and journal:
                changes.append((int(match[1]), record, journal))
        return sorted(changes, key=lambda change: change[:2])

    def journal(self, record: str) -> Journal | None:
        """The journal of a change, None if it is missing or not to be believed."""
        text = None
        with suppress(WriteRefused), self.part(record) as part:
            text = part.read(JOURNAL, most=JOURNAL_SIZE) if part else None
        return parsed(text) if text else None


class Transaction(Struct, frozen=True):
    """A journal, its sealed text, and its locked folders, in its order."""

    journal: Journal
    text: bytes
    homes: Sequence[Home]

    @contextmanager
    def parts(self) -> Iterator[list[Directory | None]]:
        """For each folder the part of this change that is there; None if none does."""
        with ExitStack() as stack:
            parts = [stack.enter_context(home.part()) for home in self.homes]
            texts = [part.read(JOURNAL, JOURNAL_SIZE) if part else None for part in parts]
            yield [
                part if text == self.text else None for part, text in zip(parts, texts, strict=True)
            ]

    def staged(self, number: int) -> str:
        """The name, beside the file of this number, of what is to take its place."""
        return f".{self.journal.id}-{number}{RECORDS}"


@contextmanager
def locked_home(path: Path) -> Iterator[Home]:
    """Open and lock a folder's records, made if there are none, taken away if left empty.

    WriteRefused while another process holds them.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(opened(path))
        if folder.status(RECORDS) is None:
            with suppress(FileExistsError):
                folder.make(RECORDS)
        records = stack.enter_context(folder.enter(RECORDS))
        try:
            stack.enter_context(records.locked(_LOCK, wait=False))
        except (BlockingIOError, FileNotFoundError) as error:
            raise WriteRefused(path, "is being changed by another trl-doctor right now") from error
        except OSError as error:
            if error.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
                raise WriteRefused(
                    path, f"is on a file system without locks; {ELSEWHERE}"
                ) from error
            raise
        stack.callback(_tidy, folder, records)
        if records.status(_IGNORE) is None:
            records.create(_IGNORE, b"*\n")
        yield Home(folder, records)


def _tidy(folder: Directory, records: Directory) -> None:
    with suppress(OSError):
        if set(records.names()) <= {_LOCK, _IGNORE}:
            records.remove(_IGNORE)
            records.remove(_LOCK)
            folder.remove_folder(RECORDS)
