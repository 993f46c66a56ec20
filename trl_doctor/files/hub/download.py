"""Downloads the files of a Hub model that are examined; runs in its own process.

`python -m trl_doctor.files.hub.download` reads a `Request` as JSON from its standard input and
writes an `Outcome` as JSON to its standard output. huggingface_hub does the work; because it runs
in a process, every wait ends with the time limit.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from trl_doctor.core.version import __version__
from trl_doctor.files.hub import store
from trl_doctor.files.hub.cache import COMMIT, READ_HEADER, READ_WHOLE, matches
from trl_doctor.files.hub.refusals import HubRefusal, Reason, refusal
from trl_doctor.files.hub.store import RemoteFile

FIRST = 1 << 16
"""Bytes of a weights file that are requested first; most headers are shorter."""

HEADER = 100_000_000
"""Bytes of the longest header that the safetensors format allows."""

MANY = 3000
"""Files of one repository beyond which it is no model that can be examined."""

WORKERS = 8


class Request(msgspec.Struct):
    """What to download into `folder`; `file` and `total` are limits in bytes, `wait` in seconds."""

    repo: str
    revision: str
    folder: str
    file: int
    total: int
    wait: float


class Outcome(msgspec.Struct):
    """The commit, and its files unless a copy exists; or the reason why there is nothing."""

    commit: str = ""
    files: Mapping[str, RemoteFile] | None = None
    refused: Reason | None = None


def main() -> None:
    """Answer one request."""
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=Request)
    try:
        outcome = _downloaded(request)
    except Exception as error:
        outcome = Outcome(refused=refusal(error, request.repo, request.revision, request.wait))
    sys.stdout.buffer.write(msgspec.json.encode(outcome))


def _end_with_parent(parent: int) -> None:
    """End with the parent: otherwise the download goes on and writes into a removed folder."""
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)


def _downloaded(request: Request) -> Outcome:
    from huggingface_hub import HfApi

    api = HfApi(library_name="trl-doctor", library_version=__version__)
    repo, commit = request.repo, request.revision
    if store.stored_copy(repo, commit):
        info = api.model_info(repo, revision=commit, expand=["sha"], timeout=request.wait)
        commit = _commit(info.sha)
        if store.stored_copy(repo, commit):
            return Outcome(commit)
    info = api.model_info(repo, revision=commit, files_metadata=True, timeout=request.wait)
    commit = _commit(info.sha)
    if store.stored_copy(repo, commit):
        return Outcome(commit)
    files = {name: _planned(name, size, request.file) for name, size in _sizes(info)}
    _refuse_too_much(request, files)
    _fill(Path(request.folder), request, commit, files)
    return Outcome(commit, files)


def _commit(sha: object) -> str:
    if not isinstance(sha, str) or not re.fullmatch(COMMIT, sha):
        raise HubRefusal(f"{store.host()} answers with an invalid commit: {str(sha)[:50]!r}")
    return sha


def _sizes(info: Any) -> Iterator[tuple[str, int]]:
    """Name and size of each file, as the Hub lists them."""
    for sibling in info.siblings or ():
        name, size = sibling.rfilename, sibling.size
        if not isinstance(size, int) or size < 0:
            raise HubRefusal(f"{store.host()} names no size of {name[:80]!r}")
        if not contained(name):
            outside = f"a file outside the repository: {name[:80]!r}"
            raise HubRefusal(f"{store.host()} answers with {outside}", again=False)
        yield name, size


def contained(name: str) -> bool:
    """Whether a path from a server stays in the folder that it is joined to."""
    names = name.split("/")
    return len(name) < 1000 and name.isprintable() and not {"", ".", ".."} & set(names)


def _planned(name: str, size: int, most: int) -> RemoteFile:
    if matches(name, READ_HEADER):
        return RemoteFile(size, "header")
    return RemoteFile(size, "whole" if matches(name, READ_WHOLE) and size <= most else "no")


def _refuse_too_much(request: Request, files: Mapping[str, RemoteFile]) -> None:
    count = sum(file.here != "no" for file in files.values())
    if count > MANY:
        message = f"{request.repo} has {count} files to read: no model has so many"
        raise HubRefusal(message, again=False)
    total = sum(file.size for file in files.values() if file.here == "whole")
    if total > request.total:
        size = f"{request.total / 2**20:.0f} MiB"
        message = f"{request.repo} has more than {size} of configuration and tokenizer"
        raise HubRefusal(message, again=False)


def _fill(folder: Path, request: Request, commit: str, files: Mapping[str, RemoteFile]) -> None:
    """Download the files of the plan, several at the same time; raises the first error."""

    def fill(name: str, file: RemoteFile) -> None:
        download = _whole_file if file.here == "whole" else _header
        try:
            download(folder, request, commit, name, file.size)
        except HubRefusal:
            raise
        except Exception:  # a broken connection is tried again once
            download(folder, request, commit, name, file.size)

    with ThreadPoolExecutor(WORKERS) as pool:
        selected = {name: file for name, file in files.items() if file.here != "no"}
        jobs = [pool.submit(fill, name, file) for name, file in selected.items()]
        try:
            for job in jobs:
                job.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    shutil.rmtree(folder / ".cache", ignore_errors=True)  # huggingface_hub's notes


def _whole_file(folder: Path, request: Request, commit: str, name: str, size: int) -> None:
    from huggingface_hub import hf_hub_download

    hf_hub_download(
        request.repo, name, revision=commit, local_dir=folder, etag_timeout=request.wait
    )
    if (folder / name).stat().st_size != size:
        raise HubRefusal(f"{store.host()} sends another {name} than it lists")


def _header(folder: Path, request: Request, commit: str, name: str, size: int) -> None:
    """Write the header, and nothing up to the file's size: a hole where there are such."""
    start = _bytes(request, commit, name, 0, min(FIRST, size), size) if size else b""
    length = 8 + int.from_bytes(start[:8], "little")
    if len(start) >= 8 and length <= min(size, HEADER + 8):
        if length > len(start):
            start += _bytes(request, commit, name, len(start), length, size)
        start = start[:length]
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(start)
        file.truncate(size)


def _bytes(request: Request, commit: str, name: str, start: int, stop: int, size: int) -> bytes:
    """The bytes of a file from `start` up to, not including, `stop`."""
    import huggingface_hub

    hub: Any = huggingface_hub
    headers = {**hub.utils.build_hf_headers(), "range": f"bytes={start}-{stop - 1}"}
    url = hub.hf_hub_url(request.repo, name, revision=commit)
    response = hub.get_session().get(url, headers=headers, timeout=request.wait)
    hub.utils.hf_raise_for_status(response)
    span = response.headers.get("content-range", "")
    if not span.startswith(f"bytes {start}-") or not span.endswith(f"/{size}"):
        raise HubRefusal(f"{store.host()} sends another {name} than it lists")
    content: bytes = response.content
    return content[: stop - start]


if __name__ == "__main__":
    main()
