"""The files of an open folder, each by its name in it and never through a link."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from msgspec import Struct

ELSEWHERE = "--fix-to DIR makes a repaired copy"
"""What to do where files cannot change in place, as the end of a reason."""


class WriteRefused(Exception):
    """A file was not written or believed; `reason` is a clause with `path` as its subject."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} {reason}")
        self.path = path
        self.reason = reason


def oddity(status: os.stat_result) -> str:
    """Why this is not a plain file of its own, as a clause; empty if it is one."""
    if stat.S_ISLNK(status.st_mode):
        return "is a symbolic link"
    if stat.S_ISDIR(status.st_mode):
        return "is a folder"
    if not stat.S_ISREG(status.st_mode):
        return "is not a regular file"
    return f"has {status.st_nlink} hard links" if status.st_nlink > 1 else ""


def digest(content: bytes | None) -> str | None:
    """The SHA-256 of a file's content, None for no file."""
    from hashlib import sha256

    return None if content is None else sha256(content).hexdigest()


class Directory(Struct, frozen=True):
    """An open folder: a name in it stays in it, whatever becomes of the path meanwhile."""

    path: Path
    descriptor: int

    def status(self, name: str) -> os.stat_result | None:
        """What has this name (a link is the link itself); None if there is nothing."""
        try:
            return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def read(self, name: str, most: int = sys.maxsize) -> bytes | None:
        """The bytes of a plain file of at most so many, None if there is no file."""
        status = self.status(name)
        if status is None:
            return None
        if status.st_size > most:
            raise WriteRefused(self.path / name, f"is larger than {most} bytes")
        return b"".join(self._chunks(name, status))

    def digest(self, name: str) -> str | None:
        """The SHA-256 of a plain file, None if there is no file."""
        import hashlib

        status = self.status(name)
        if status is None:
            return None
        total = hashlib.sha256()
        for chunk in self._chunks(name, status):
            total.update(chunk)
        return total.hexdigest()

    def _chunks(self, name: str, status: os.stat_result) -> Iterator[bytes]:
        if reason := oddity(status):
            raise WriteRefused(self.path / name, reason)
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(name, flags, dir_fd=self.descriptor)
        try:
            while chunk := os.read(descriptor, 1 << 20):
                yield chunk
        finally:
            _release(descriptor)

    def create(
        self, name: str, content: bytes, mode: int = 0o666, like: os.stat_result | None = None
    ) -> None:
        """Make a file that was not there, on disk when this returns.

        The umask applies to `mode`; `like` gives mode and, as far as the user may, owner.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(name, flags, 0o600 if like else mode, dir_fd=self.descriptor)
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            if like is not None:
                _resemble(descriptor, like)
            _flush(descriptor)
        finally:
            os.close(descriptor)

    def rename(self, name: str, to: Directory, new: str) -> None:
        """Move a file or folder to another name, and replace a file that has that name."""
        os.replace(name, new, src_dir_fd=self.descriptor, dst_dir_fd=to.descriptor)

    def remove(self, name: str) -> None:
        """Remove a file; nothing happens if there is none."""
        try:
            os.unlink(name, dir_fd=self.descriptor)
        except FileNotFoundError:
            return

    def make(self, name: str) -> None:
        """Make a folder that was not there."""
        os.mkdir(name, dir_fd=self.descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(name, dir_fd=self.descriptor)

    def names(self) -> list[str]:
        """What the folder holds, in order."""
        return sorted(os.listdir(self.descriptor))  # noqa: PTH208

    def sync(self) -> None:
        """Bring the folder's names to disk, on file systems that can."""
        try:
            _flush(self.descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise

    @contextmanager
    def locked(self, name: str, wait: bool) -> Iterator[None]:
        """Hold the lock file of this name, which goes free when its process dies.

        `BlockingIOError`, unless waiting, while another process holds it.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(name, flags, 0o666, dir_fd=self.descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            status = self.status(name)
            if status is None or not os.path.samestat(status, os.fstat(descriptor)):
                raise BlockingIOError(errno.EAGAIN, "its last holder has just removed the lock")
            yield
        finally:
            _release(descriptor)

    @contextmanager
    def enter(self, name: str) -> Iterator[Directory]:
        """A folder in this one, refused where the name is a link."""
        status = self.status(name)
        if status is not None and not stat.S_ISDIR(status.st_mode):
            raise WriteRefused(self.path / name, oddity(status) or "is a file, not a folder")
        with opened(self.path / name, self) as directory:
            yield directory

    @contextmanager
    def above(self, name: str) -> Iterator[tuple[Directory, str]]:
        """The folder that holds a file named by a route ("a/b.json"), and its name there."""
        *folders, last = name.split("/")
        directory = self
        with ExitStack() as stack:
            for folder in folders:
                directory = stack.enter_context(directory.enter(folder))
            yield directory, last

    def digest_below(self, name: str) -> str | None:
        """`digest` of a file named by a route; empty for what is not a plain file."""
        try:
            with self.above(name) as (directory, last):
                return directory.digest(last)
        except FileNotFoundError:
            return None
        except WriteRefused:
            return ""


@contextmanager
def opened(path: Path, inside: Directory | None = None) -> Iterator[Directory]:
    """Open a folder by a path without links, or by the path's last name in an open one."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    if inside is None:
        descriptor = os.open(path, flags)
    else:
        descriptor = os.open(path.name, flags, dir_fd=inside.descriptor)
    try:
        yield Directory(path, descriptor)
    finally:
        _release(descriptor)


def _resemble(descriptor: int, like: os.stat_result) -> None:
    """Take over mode and owner; the set-id bits only together with the owner."""
    own, mode = os.fstat(descriptor), stat.S_IMODE(like.st_mode)
    if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
        try:
            os.fchown(descriptor, like.st_uid, like.st_gid)
        except PermissionError:
            mode &= 0o777
    os.fchmod(descriptor, mode)


def _release(descriptor: int) -> None:
    """Close what was not written to, of which no failure matters."""
    with suppress(OSError):
        os.close(descriptor)


def _flush(descriptor: int) -> None:
    if sys.platform == "darwin":
        try:  # fsync leaves the drive's own cache unwritten there
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
        except OSError:
            pass
    os.fsync(descriptor)
