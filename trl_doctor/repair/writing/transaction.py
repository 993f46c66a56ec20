"""The steps by which several files change together or not at all, also when killed between any two.

First the journal and the originals are kept in `.trl-doctor/unfinished` of each folder, and what
is new is written beside each file. Then the mark `committed` in the first folder decides: without
it the files stay old, with it they become new. Taking back renames it to `revoked`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct

from trl_doctor.core.records import RECORDS, UNFINISHED
from trl_doctor.repair.writing.directory import Directory, WriteRefused, digest
from trl_doctor.repair.writing.journal import (
    JOURNAL,
    JOURNAL_SIZE,
    Entry,
    Home,
    Journal,
    Transaction,
)

_COMMITTED, _REVOKED = "committed", "revoked"
_DRAFT = "journal.draft"
_OURS = re.compile(rf"\d+\.old|{_COMMITTED}|{_REVOKED}|{JOURNAL}|{_DRAFT}", re.ASCII)


class Replacement(Struct, frozen=True):
    """A file to change, by its folder's number and its name there; None says no file.

    `like` gives mode and owner if there is no file to take them from.
    """

    folder: int
    name: str
    before: bytes | None
    after: bytes | None
    like: os.stat_result | None = None


def perform(homes: Sequence[Home], files: Sequence[Replacement], undoes: str = "") -> Transaction:
    """Make all the replacements, or none and raise what went wrong.

    Raises `WriteRefused` if a file is no longer as in `before`. If the changes cannot be undone
    either, the error says so, and `settle` undoes them later.
    """
    entries = tuple(
        Entry(file.folder, file.name, digest(file.before), digest(file.after)) for file in files
    )
    folders = tuple(str(home.folder.path) for home in homes) if len(homes) > 1 else (".",)
    journal = Journal(os.urandom(8).hex(), folders, entries, undoes)
    change = Transaction(journal, journal.text(), homes)
    for home in homes:
        if home.records.status(UNFINISHED) is not None:
            reason = f"holds {RECORDS}/{UNFINISHED}, a change to be finished or deleted first"
            raise WriteRefused(home.folder.path, reason)
    try:
        _prepare(change)
        _stage(change, files)
        _bring(change, forward=True)
    except BaseException as error:
        try:
            _take_back(change)
        except OSError as another:
            reason = f"is changed in part ({another}); the next trl-doctor here undoes it"
            raise WriteRefused(homes[0].folder.path, reason) from error
        raise
    with suppress(OSError, WriteRefused):  # the files are new; `settle` closes the record later
        _close(change)
    return change


def settle(change: Transaction) -> tuple[bool, list[str]]:
    """End a change that was interrupted. Returns whether all its files are new, else old, and
    which are left as they are, because somebody made them neither since.

    WriteRefused where the first folder has no part of it, or an original is lost.
    """
    with change.parts() as parts:
        forward = _present(change, parts, 0).status(_COMMITTED) is not None
    if forward:
        try:
            _bring(change, forward=True)
        except WriteRefused:
            forward = False
    if not forward:
        return False, _take_back(change)
    _close(change)
    return True, []


def clear(home: Home, record: str = UNFINISHED) -> None:
    """Remove what is kept of a change.

    WriteRefused where there is something that no trl-doctor put there.
    """
    with home.part(record) as part:
        if part is None:
            return
        names = part.names()
        if not all(_OURS.fullmatch(name) for name in names):
            raise WriteRefused(
                part.path, "holds files that trl-doctor did not put there; delete it"
            )
        for name in names:
            part.remove(name)
    home.records.remove_folder(record)
    home.records.sync()


def _prepare(change: Transaction) -> None:
    for home in change.homes:
        home.records.make(UNFINISHED)
        with home.records.enter(UNFINISHED) as part:
            part.create(_DRAFT, change.text)
            part.rename(_DRAFT, part, JOURNAL)
            part.sync()
        home.records.sync()
        home.folder.sync()


def _stage(change: Transaction, files: Sequence[Replacement]) -> None:
    with change.parts() as parts:
        for number, file in enumerate(files):
            part = _present(change, parts, file.folder)
            with change.homes[file.folder].folder.above(file.name) as (directory, name):
                like = directory.status(name) or file.like
                if file.before is not None:
                    part.create(f"{number}.old", file.before, like=like)
                if file.after is not None:
                    directory.create(change.staged(number), file.after, like=like)
                    directory.sync()
        for index in range(len(parts)):
            _present(change, parts, index).sync()
        for entry in change.journal.entries:
            folder = change.homes[entry.folder].folder
            if folder.digest_below(entry.name) != entry.before:
                raise WriteRefused(
                    folder.path / entry.name, "was changed by somebody else meanwhile"
                )
        first = _present(change, parts, 0)
        first.create(_COMMITTED, b"")
        first.sync()


def _bring(change: Transaction, forward: bool) -> list[str]:
    """Put in place what is not there yet; the names of files that are neither old nor new."""
    steps, changed_names = [], []
    with change.parts() as parts:
        for number, entry in enumerate(change.journal.entries):
            folder = change.homes[entry.folder].folder
            now = folder.digest_below(entry.name)
            if now == (entry.after if forward else entry.before):
                continue
            if now == (entry.before if forward else entry.after):
                steps.append((number, entry, _present(change, parts, entry.folder)))
            elif forward:
                raise WriteRefused(
                    folder.path / entry.name, "was changed by somebody else meanwhile"
                )
            else:
                changed_names.append(entry.name)
        for number, entry, part in steps:
            with change.homes[entry.folder].folder.above(entry.name) as (directory, name):
                if not forward and entry.before is not None:
                    directory.remove(change.staged(number))
                    like = part.status(backup := f"{number}.old")
                    directory.create(change.staged(number), part.read(backup) or b"", like=like)
                expected = entry.after if forward else entry.before
                if expected is None:
                    directory.remove(name)
                elif directory.digest(change.staged(number)) == expected:
                    directory.rename(change.staged(number), directory, name)
                else:
                    raise WriteRefused(
                        directory.path / name, "has lost what should be in its place"
                    )
                directory.sync()
    return changed_names


def _take_back(change: Transaction) -> list[str]:
    changed_names = _bring(change, forward=False) if _revoked(change) else []
    _discard(change)
    return changed_names


def _revoked(change: Transaction) -> bool:
    """Withdraw the mark; whether there was one, now or before an interruption."""
    with change.parts() as (first, *_):
        if first is None:
            return False
        if first.status(_COMMITTED) is not None:
            first.rename(_COMMITTED, first, _REVOKED)
            first.sync()
        return first.status(_REVOKED) is not None


def _sweep(change: Transaction, parts: Sequence[Directory | None]) -> None:
    """Remove what was to take a file's place and did not."""
    for number, entry in enumerate(change.journal.entries):
        if parts[entry.folder] is not None:
            folder = change.homes[entry.folder].folder
            with (
                suppress(FileNotFoundError, WriteRefused),
                folder.above(entry.name) as (directory, _),
            ):
                directory.remove(change.staged(number))


def _close(change: Transaction) -> None:
    """Keep the originals under the next number; the first folder, which decides, comes last."""
    with change.parts() as parts:
        _sweep(change, parts)
        present = [part is not None for part in parts]
    for home, here in reversed(list(zip(change.homes, present, strict=True))):
        if here:
            number = max((number for number, *_ in home.finished()), default=0) + 1
            home.records.rename(UNFINISHED, home.records, f"{number:06d}-{change.journal.id}")
            home.records.sync()


def _discard(change: Transaction) -> None:
    """Remove the parts; the first folder, which decides, comes last."""
    with change.parts() as parts:
        _sweep(change, parts)
    for home in reversed(change.homes):
        with home.part() as part:
            ours = part is not None and part.read(JOURNAL, JOURNAL_SIZE) in (None, change.text)
        if ours:
            clear(home)


def _present(change: Transaction, parts: Sequence[Directory | None], index: int) -> Directory:
    part = parts[index]
    if part is None:
        raise WriteRefused(
            change.homes[index].folder.path, "no longer holds its part of the change"
        )
    return part
