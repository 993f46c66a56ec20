"""Fetches what an examination reads of a Hub model: small files whole, of weights the headers."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.hub import api as hub_api
from trl_doctor.files.hub import store as hub_store
from trl_doctor.files.hub.cache import READ_HEADER, READ_WHOLE, matches
from trl_doctor.files.hub.client import HubLimits, Line, Response, Unreachable, ask, line
from trl_doctor.files.hub.store import Listing, RemoteFile
from trl_doctor.files.hub.together import together

T = TypeVar("T")

FIRST = 1 << 16
"""Bytes of a weights file that are asked for first; the header of most is shorter."""

HEADER = 100_000_000
"""Bytes of the longest header that the safetensors format allows."""

MANY = 3000
"""Files of one repository beyond which it is no model that can be examined."""


@dataclass(frozen=True)
class Copy:
    """A copy in the doctor's own cache; `new` says that it was fetched just now."""

    path: Path
    listing: Listing
    new: bool


def fetch(repo: str, revision: str, limits: HubLimits) -> Copy:
    """The copy of what a revision means now.

    Where that is here already, one small request is all. Raises `Unavailable`; `Unreachable`
    where an earlier copy may serve instead.
    """
    to_hub = line(limits)
    try:
        return _fetched(to_hub, repo, revision)
    except OSError as error:
        raise Unavailable(_disk(error, hub_store.home(repo))) from error


def _fetched(to_hub: Line, repo: str, revision: str) -> Copy:
    commit, copy = revision, None
    if hub_store.known(repo, revision):
        (commit,) = _in_time(to_hub, repo, [partial(hub_api.commit_of, to_hub, repo, revision)])
        copy = _kept(repo, commit)
    if copy is None:
        listing = partial(hub_api.files_of, to_hub, repo, commit)
        ((commit, sizes),) = _in_time(to_hub, repo, [listing])
        copy = _kept(repo, commit) or _copied(to_hub, repo, commit, sizes)
    if not commit.startswith(revision):
        hub_store.remember(repo, revision, commit)
    return copy


def _kept(repo: str, commit: str) -> Copy | None:
    kept = hub_store.known(repo, commit)
    return Copy(*kept, new=False) if kept else None


def _copied(to_hub: Line, repo: str, commit: str, sizes: Mapping[str, int]) -> Copy:
    files = {name: _planned(name, size, to_hub.limits) for name, size in sizes.items()}
    wanted = {name: file for name, file in files.items() if file.here != "no"}
    if len(wanted) > MANY:
        raise Unavailable(f"{repo} has {len(wanted)} files to read: no model has so many")
    with hub_store.new_copy(repo) as folder:
        jobs = []
        for name, file in wanted.items():
            url = f"{to_hub.endpoint}/{repo}/resolve/{commit}/{quote(name)}"
            source = Source(to_hub, repo, commit, name, url, file.size)
            job = _write_whole if file.here == "whole" else _write_header
            jobs.append(partial(_twice, job, source, folder / name))
        _in_time(to_hub, repo, jobs)
        listing = Listing(repo, commit, to_hub.host, files)
        return Copy(hub_store.publish(folder, listing), listing, new=True)


def _planned(name: str, size: int, limits: HubLimits) -> RemoteFile:
    if matches(name, READ_HEADER):
        return RemoteFile(size, "header")
    small = matches(name, READ_WHOLE) and size <= limits.file
    return RemoteFile(size, "whole" if small else "no")


def _in_time(to_hub: Line, repo: str, jobs: Sequence[Callable[[], T]]) -> list[T]:
    within = f"{repo} was not read within {to_hub.limits.whole:g} s"
    slow = Unreachable(f"{to_hub.host} is too slow: {within}")
    return together(jobs, to_hub.until, slow, to_hub.halted)


@dataclass(frozen=True)
class Source:
    """A file on the Hub, `size` bytes long as its listing says."""

    to_hub: Line
    repo: str
    commit: str
    name: str
    url: str
    size: int

    def refusal(self, answer: Response) -> Unavailable:
        return hub_api.refusal(self.to_hub, answer, self.repo, self.commit)

    def another(self) -> Unreachable:
        return Unreachable(f"{self.to_hub.host} sends another {self.name} than it lists")


def _twice(job: Callable[[Source, Path], None], source: Source, target: Path) -> None:
    """A connection that breaks once is not worth a word."""
    try:
        job(source, target)
    except Unreachable:
        if source.to_hub.halted.is_set():
            raise
        job(source, target)


def _write_whole(source: Source, target: Path) -> None:
    target.parent.mkdir(exist_ok=True)
    with target.open("wb") as file:
        if source.size == 0:
            return
        with ask(source.to_hub, source.url) as answer:
            if answer.status != 200:
                raise source.refusal(answer)
            for piece in answer.pieces:
                file.write(piece)
                if file.tell() > source.size:
                    break
        if file.tell() != source.size:
            raise source.another()


def _write_header(source: Source, target: Path) -> None:
    """Write the header, and nothing up to the file's size: a hole where there are such."""
    start = _read(source, 0, min(FIRST, source.size)) if source.size else b""
    length = 8 + int.from_bytes(start[:8], "little")
    if len(start) >= 8 and length <= min(source.size, HEADER + 8):
        if length > len(start):
            start += _read(source, len(start), length)
        start = start[:length]
    with target.open("wb") as file:
        file.write(start)
        file.truncate(source.size)


def _read(source: Source, start: int, stop: int) -> bytes:
    with ask(source.to_hub, source.url, (start, stop)) as answer:
        if answer.status not in (200, 206):
            raise source.refusal(answer)
        partly = answer.status == 206
        span = answer.headers.get("content-range" if partly else "content-length", "")
        if partly and not span.startswith(f"bytes {start}-"):
            raise source.another()
        size = span.rpartition("/")[2]
        if size.isdigit() and int(size) != source.size:
            raise source.another()
        skip = 0 if partly else start
        body = bytearray()
        for piece in answer.pieces:
            body += piece
            if len(body) >= skip + stop - start + partly:
                break
    if len(body) < skip + stop - start:
        raise Unreachable(f"{source.to_hub.host} broke its answer off")
    return bytes(body[skip : skip + stop - start])


def _disk(error: OSError, folder: Path) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk of {folder} is full"
    return f"cannot write to {folder} ({error.strerror or error}): set XDG_CACHE_HOME"
