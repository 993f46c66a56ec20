"""Writing several files together or not at all, and why a file may not be written."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from msgspec import Struct

from trl_doctor.files.hub.cache import cache_root
from trl_doctor.repair.writing.directory import ELSEWHERE, Directory, WriteRefused, oddity, opened
from trl_doctor.repair.writing.journal import Transaction, locked_home, stays_inside
from trl_doctor.repair.writing.transaction import Replacement, perform

__all__ = ["Change", "Receipt", "WriteRefused", "refusals", "write"]


class Change(Struct, frozen=True):
    """A file as it was examined and as it shall be; None says that there is no file."""

    path: Path
    before: bytes | None
    after: bytes | None


class Receipt(Struct, frozen=True):
    """The files that changed, and the folders in which their originals are kept for `undo`."""

    files: tuple[Path, ...]
    kept: tuple[Path, ...] = ()


def write(changes: Sequence[Change], folders: Sequence[Path] = ()) -> Receipt:
    """Make all the changes, or none and raise `WriteRefused`; interrupted at any point, `recover`
    ends it either way.

    `folders` are those that the user named. A file in one of them is reached from there without
    following a link, and its original is kept in that folder's `.trl-doctor`; a file in none of
    them, in the folder that holds it.
    """
    changes = [change for change in changes if change.before != change.after]
    for refused in refusals(changes, folders):
        raise refused
    spots = [_spot(change.path, folders) for change in changes]
    roots = list(dict.fromkeys(root for root, _ in spots))
    if not roots:
        return Receipt(())
    files = [
        Replacement(roots.index(root), name, change.before, change.after)
        for change, (root, name) in zip(changes, spots, strict=True)
    ]
    with refusing(roots[0]), ExitStack() as stack:
        homes = [stack.enter_context(locked_home(root)) for root in roots]
        return receipt(perform(homes, files))


def refusals(changes: Sequence[Change], folders: Sequence[Path] = ()) -> Iterator[WriteRefused]:
    """Why these changes may not be written, as far as that can be known beforehand."""
    need: dict[Path, int] = {}
    seen = set()
    for change in changes:
        root, name = _spot(change.path, folders)
        if (root, name) in seen:
            yield WriteRefused(change.path, "is to be changed twice")
        seen.add((root, name))
        if reason := _reason(root, name, change):
            yield WriteRefused(change.path, reason)
        else:
            size = len(change.before or b"") + len(change.after or b"")
            need[root] = need.get(root, 1 << 20) + size
    yield from _space(need)


def in_hub_cache(path: Path) -> bool:
    """Whether a real path is in a cache of huggingface_hub, by its layout or its place."""
    for above in path.parents:
        siblings = (above.parent / "blobs", above.parent / "snapshots")
        if above in siblings and all(sibling.is_dir() for sibling in siblings):
            return True
    return Path(os.path.realpath(cache_root())) in path.parents


def receipt(change: Transaction) -> Receipt:
    """What a change that was made did."""
    roots = [home.folder.path for home in change.homes]
    files = (roots[entry.folder] / entry.name for entry in change.journal.entries)
    return Receipt(tuple(files), tuple(home.records.path for home in change.homes))


@contextmanager
def refusing(path: Path, outcome: str = "all is as it was") -> Iterator[None]:
    """Say as a refusal what the system says, and in what state that leaves the files."""
    try:
        yield
    except OSError as error:
        file = f" ({error.filename})" if error.filename else ""
        reason = f"could not be changed: {error.strerror or error}{file}; {outcome}"
        raise WriteRefused(path, reason) from error


def _spot(path: Path, folders: Sequence[Path]) -> tuple[Path, str]:
    """The innermost of the folders that holds a path, and the route from there."""
    whole = path.absolute()
    absolute = [folder.absolute() for folder in folders]
    holding = [folder for folder in absolute if folder in whole.parents]
    folder = max(holding, key=lambda folder: len(folder.parts), default=whole.parent)
    return Path(os.path.realpath(folder)), whole.relative_to(folder).as_posix()


def _reason(root: Path, name: str, change: Change) -> str:
    if not stays_inside(name):
        return f"leads out of {root}, or into the records there"
    if in_hub_cache(root / name):
        return f"is in the Hub's cache, which all runs share; {ELSEWHERE}"
    try:
        with opened(root) as folder, folder.above(name) as (directory, last):
            return (
                _file_reason(directory, last, change)
                or _folder_reason(directory)
                or _folder_reason(folder)
            )
    except FileNotFoundError:
        return "is in a folder that does not exist"
    except WriteRefused as refused:
        return f"is below {refused.path}, which {refused.reason}"
    except OSError as error:
        return f"cannot be examined: {error.strerror}"


def _file_reason(directory: Directory, name: str, change: Change) -> str:
    status = directory.status(name)
    if status is None:
        return "" if change.before is None else "is gone since it was examined"
    if stat.S_ISLNK(status.st_mode):
        target = Path(os.path.realpath(directory.path / name))
        into = " into the Hub's cache" if in_hub_cache(target) else ""
        return f"is a symbolic link{into}; {ELSEWHERE}"
    if reason := oddity(status):
        return f"{reason}, which a change would part; {ELSEWHERE}" if "links" in reason else reason
    if not status.st_mode & stat.S_IWUSR:
        return "is read-only"
    if not os.access(name, os.W_OK, dir_fd=directory.descriptor):
        return "is not yours to write"
    if change.before is None:
        return "was made since the folder was examined"
    same = status.st_size == len(change.before) and directory.read(name) == change.before
    return "" if same else "changed since it was examined"


def _folder_reason(directory: Directory) -> str:
    mode = os.fstat(directory.descriptor).st_mode
    writable = os.access(".", os.W_OK | os.X_OK, dir_fd=directory.descriptor)
    if writable and mode & stat.S_IWUSR:
        return ""
    return f"is in {directory.path}, which is read-only"


def _space(need: dict[Path, int]) -> Iterator[WriteRefused]:
    """Refusals for the file systems that cannot hold the new files and the old ones."""
    total: dict[int, int] = {}
    for root, size in need.items():
        try:
            device, room = root.stat().st_dev, os.statvfs(root)
        except OSError as error:
            yield WriteRefused(root, f"cannot be examined: {error.strerror}")
            continue
        total[device] = total.get(device, 0) + size
        free = room.f_bavail * room.f_frsize
        if free < total[device]:
            reason = f"has {free / 1e6:.1f} MB free; {total[device] / 1e6:.1f} MB are needed"
            yield WriteRefused(root, reason)
