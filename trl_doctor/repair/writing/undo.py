"""Taking back a change that was made, and ending one that was interrupted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.records import RECORDS, UNFINISHED
from trl_doctor.repair.writing.directory import WriteRefused, digest, opened
from trl_doctor.repair.writing.journal import (
    JOURNAL,
    JOURNAL_SIZE,
    Home,
    Journal,
    Transaction,
    locked_home,
    parsed,
)
from trl_doctor.repair.writing.transaction import Replacement, clear, perform, settle
from trl_doctor.repair.writing.write import Change, Receipt, receipt, refusals, refusing


class Ended(Struct, frozen=True):
    """How a change that was interrupted ended; without one, it had not begun."""

    change: Transaction | None = None
    forward: bool = False
    left: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """What was done, to be read by the user."""
        if self.change is None:
            return ["Cleared away a change that was interrupted before it began."]
        verb = "Finished" if self.forward else "Took back"
        lines = [f"{verb} a change of {self.change.journal.names} that had been interrupted."]
        return lines + [f"{name} has changed since and stays as it is." for name in self.left]


def undo(folder: Path, force: bool = False) -> Receipt:
    """Restore the originals of the last change made here, all of them or none.

    A file that the change made is removed. Called again, goes one change further back. A change
    that was interrupted is the last one. Raises `WriteRefused` if there is nothing to undo, or
    where a file was changed since; `force` restores that too, and keeps what it overwrites.
    """
    path = Path(os.path.realpath(folder))
    if os.path.lexists(path / RECORDS / UNFINISHED):
        ended = end(path)
        if ended.change is None:
            reason = "held a change that was interrupted before it began, now cleared away"
            raise WriteRefused(path, f"{reason}; run once more to undo the one before it")
        if ended.forward == bool(ended.change.journal.undoes):
            return receipt(ended.change)
    with refusing(path), ExitStack() as stack:
        if not (path / RECORDS).is_dir():
            raise WriteRefused(path, "has nothing to undo")
        here = stack.enter_context(locked_home(path))
        journal = _last(here)
        homes = _homes(stack, here, journal)
        files = _originals(homes, journal, force)
        roots = [home.folder.path for home in homes]
        changes = [
            Change(roots[file.folder] / file.name, file.before, file.after) for file in files
        ]
        for refused in refusals(changes, roots):
            raise refused
        result = perform(homes, files, undoes=journal.id)
        if not force:
            _forget(result)
        return receipt(result)


def end(path: Path) -> Ended:
    """End the change that was interrupted in this folder, which is a real path.

    WriteRefused as `recover` says.
    """
    with refusing(path, "the change that was interrupted is still to be ended"):
        with opened(path) as directory, directory.enter(RECORDS) as records:
            _unfinished(Home(directory, records))  # to refuse before anything is made here
        with ExitStack() as stack:
            return _settled(stack, stack.enter_context(locked_home(path)))


def _settled(stack: ExitStack, here: Home) -> Ended:
    unfinished = _unfinished(here)
    if unfinished is None:
        clear(here)
        return Ended()
    text, journal = unfinished
    change = Transaction(journal, text, _homes(stack, here, journal))
    try:
        forward, changed_names = settle(change)
    except WriteRefused as refused:
        originals = here.records.path / UNFINISHED
        way = f"the originals are in {originals}; delete that to keep the files as they are"
        raise WriteRefused(refused.path, f"{refused.reason}; {way}") from refused
    if forward and journal.undoes:
        _forget(change)
    return Ended(change, forward, tuple(changed_names))


def _unfinished(here: Home) -> tuple[bytes, Journal] | None:
    """The journal of what was begun here, None if it was not put in place any more."""
    with here.part() as part:
        text = part.read(JOURNAL, most=JOURNAL_SIZE) if part else None
    if text is None:
        return None
    journal = parsed(text)
    if journal is None:
        raise WriteRefused(
            here.records.path / UNFINISHED,
            "was not written by this user's trl-doctor, so nothing in it is believed; "
            "delete it if it came with a download",
        )
    return text, journal


def _homes(stack: ExitStack, here: Home, journal: Journal) -> list[Home]:
    """The folders of a change, locked; one that changed alone may have moved since."""
    if len(journal.folders) == 1:
        return [here]
    path = str(here.folder.path)
    if path not in journal.folders:
        others = " and ".join(journal.folders)
        raise WriteRefused(here.folder.path, f"was moved or copied since files of {others} changed")
    for folder in journal.folders:
        if not Path(folder).is_dir():
            raise WriteRefused(
                Path(folder), f"is gone; its files changed together with those of {path}"
            )
    return [
        here if folder == path else stack.enter_context(locked_home(Path(folder)))
        for folder in journal.folders
    ]


def _last(here: Home) -> Journal:
    """The last change made here that is neither undone nor itself an undo."""
    journals = [journal for _, _, journal in here.finished()]
    undone = {journal.undoes for journal in journals}
    for journal in reversed(journals):
        if not journal.undoes and journal.id not in undone:
            return journal
    raise WriteRefused(here.folder.path, "has nothing to undo")


def _originals(homes: Sequence[Home], journal: Journal, force: bool) -> list[Replacement]:
    """What restores the files that are not as they were before."""
    files = []
    with ExitStack() as stack:
        parts = [stack.enter_context(home.part(_record(home, journal))) for home in homes]
        for number, entry in enumerate(journal.entries):
            home, part = homes[entry.folder], parts[entry.folder]
            path = home.folder.path / entry.name
            with home.folder.above(entry.name) as (directory, name):
                now = directory.read(name)
            if digest(now) == entry.before:
                continue
            if digest(now) != entry.after and not force:
                raise WriteRefused(
                    path, "has changed since; --force restores the original all the same"
                )
            backup = f"{number}.old"
            original = part.read(backup) if part else None
            if part is None or digest(original) != entry.before:
                raise WriteRefused(path, f"lost its original, which was in {home.records.path}")
            files.append(Replacement(entry.folder, entry.name, now, original, part.status(backup)))
    return files


def _record(home: Home, journal: Journal) -> str:
    """Where a folder keeps its part of a change that was made."""
    for _, record, finished_journal in home.finished():
        if finished_journal == journal:
            return record
    if home.records.status(UNFINISHED) is not None:
        raise WriteRefused(home.folder.path, "holds a change that was interrupted; undo it there")
    raise WriteRefused(home.folder.path, "no longer keeps its part of that change")


def _forget(undoing: Transaction) -> None:
    """Remove what is kept of an undone change, and then of its undoing."""
    for home in undoing.homes:
        with suppress(OSError, WriteRefused):
            for change in (undoing.journal.undoes, undoing.journal.id):
                for record in home.records.names():
                    if record.endswith(f"-{change}"):
                        clear(home, record)
