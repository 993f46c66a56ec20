"""trl-doctor's own copies of Hub files: one folder per commit, complete or absent.

A copy is in `<user cache>/trl-doctor/hub/<hash of the endpoint>/models--org--name/<commit>/`,
never in the Hub cache, where a snapshot without weights would mislead `from_pretrained`. Small
files are complete. A `.safetensors` file has its true header and its true size, but is hollow
after the header: never read tensor values from it. The other files of the repository are listed
in `.trl-doctor-listing.json`:

    {"format": 1, "repo": "org/name", "commit": "<40 hex digits>", "host": "huggingface.co",
     "files": {"config.json": {"size": 661, "here": "whole"},
               "model.safetensors": {"size": 988097824, "here": "header"},
               "pytorch_model.bin": {"size": 988097824, "here": "no"}}}

`files` is every file of the repository at that commit, by its path, with its size in bytes;
`here` says how much of it is in the folder of the listing.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from msgspec import Struct, to_builtins

from trl_doctor.core.own_folders import NoHome, own_folder
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.hub.cache import (
    READ_HEADER,
    READ_WHOLE,
    commit_of,
    folder_name,
    matches,
)
from trl_doctor.files.regular import bytes_of

LISTING = ".trl-doctor-listing.json"
ABANDONED = 3600.0
"""Seconds after which the folder of a fetch that never ended is taken away."""


class RemoteFile(Struct, frozen=True):
    """A file of the repository: its size in bytes, and how much of it is local."""

    size: int
    here: Literal["whole", "header", "no"]


class Listing(Struct, frozen=True):
    """The files of a repository at a commit, by path; `host` is the Hub that listed them."""

    repo: str
    commit: str
    host: str
    files: Mapping[str, RemoteFile]
    format: int = 1


def left_out(listing: Listing) -> list[str]:
    """The files that would be examined but were too large to download."""
    patterns = READ_WHOLE + READ_HEADER
    return [n for n, f in listing.files.items() if f.here == "no" and matches(n, patterns)]


def endpoint() -> str:
    """The address of the Hub: HF_ENDPOINT, or https://huggingface.co."""
    return (os.getenv("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")


def host() -> str:
    """The Hub's name for messages: no scheme, no path, no password."""
    try:
        return urlsplit(endpoint()).netloc.rpartition("@")[2] or "HF_ENDPOINT"
    except ValueError:
        return "HF_ENDPOINT"


def home(repo: str) -> Path:
    """The folder of a repository's copies. `Unavailable` if this user has no cache folder."""
    import hashlib

    address = hashlib.sha256(endpoint().encode("utf-8", "replace")).hexdigest()[:16]
    try:
        cache = own_folder("cache")
    except NoHome as error:
        raise Unavailable(f"copies cannot be kept: {error}") from error
    return cache / "hub" / address / folder_name(repo)


def stored_copy(repo: str, revision: str) -> tuple[Path, Listing] | None:
    """The copy of the commit that a revision named in the last request; None if there is none."""
    folder = home(repo)
    commit = commit_of(folder / "refs" / revision, folder, revision)
    listing = read_listing(folder / commit) if commit else None
    return (folder / commit, listing) if listing else None


def read_listing(folder: Path) -> Listing | None:
    """The listing of a copy; None if the folder has none, or is no longer complete."""
    import msgspec

    try:
        text = bytes_of(folder / LISTING)
        listing = msgspec.json.decode(text, type=Listing)
        if listing.format != 1:
            return None
        local_files = [(name, file) for name, file in listing.files.items() if file.here != "no"]
        complete = all((folder / name).lstat().st_size == file.size for name, file in local_files)
    except (OSError, ValueError):
        return None
    return listing if complete else None


@contextlib.contextmanager
def new_copy(repo: str) -> Iterator[Path]:
    """An empty folder next to the copies; it is removed at the end unless it was published."""
    import shutil
    import tempfile

    parent = home(repo)
    parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for old in parent.glob(".fetch-*"):
        with contextlib.suppress(OSError):
            if time.time() - old.lstat().st_mtime > ABANDONED:
                shutil.rmtree(old)
    folder = Path(tempfile.mkdtemp(prefix=".fetch-", dir=parent))
    try:
        yield folder
    finally:
        for _ in range(20):  # a worker that was given up may still write one more file
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.05)


def publish(folder: Path, listing: Listing) -> Path:
    """Give a finished copy its name; where another run was faster, that one's copy stays."""
    target = folder.parent / listing.commit
    (folder / LISTING).write_text(json.dumps(to_builtins(listing), indent=1), encoding="utf-8")
    if target.exists() and read_listing(target) is None:
        import shutil

        damaged = target.rename(folder.with_name(f"{folder.name}-damaged"))
        shutil.rmtree(damaged, ignore_errors=True)
    try:
        folder.rename(target)
    except OSError:
        if read_listing(target) is None:
            raise
    return target


def remember(repo: str, revision: str, commit: str) -> None:
    """Note which commit a revision meant, for the next time without network."""
    ref = home(repo) / "refs" / revision
    if commit_of(ref, ref.parent, "") == commit:
        return
    with contextlib.suppress(OSError):
        ref.parent.mkdir(parents=True, exist_ok=True)
        draft = ref.with_name(f".{os.getpid()}.{ref.name}")
        draft.write_text(commit, encoding="ascii")
        draft.replace(ref)
