"""Fetches what an examination reads of a Hub model: small files whole, of weights the headers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from trl_doctor.core.unavailable import Unavailable, Withheld
from trl_doctor.files.hub import store
from trl_doctor.files.hub.download import Outcome, Request
from trl_doctor.files.hub.store import Listing

DOWNLOAD = [sys.executable, "-P", "-m", "trl_doctor.files.hub.download"]
"""`-P`: modules that are in the working folder are not imported."""


class HubLimits(Struct, frozen=True):
    """Seconds without an answer, and for all; bytes of a file, and of all files together."""

    read: float = 15.0
    whole: float = 60.0
    file: int = 64 << 20
    total: int = 256 << 20


class Unreachable(Unavailable):
    """The Hub gave no usable answer this time; what was read from it earlier may serve."""


class Copy(Struct, frozen=True):
    """A copy in trl-doctor's own cache; `new` says that it was downloaded just now."""

    path: Path
    listing: Listing
    new: bool


def fetch(repo: str, revision: str, limits: HubLimits) -> Copy:
    """The copy of the commit that a revision currently names.

    If it exists already, this takes one small request. Raises `Unavailable`; `Unreachable`
    where an earlier copy can be used instead.
    """
    _refuse_senseless()
    try:
        with store.new_copy(repo) as folder:
            request = Request(repo, revision, str(folder), limits.file, limits.total, limits.read)
            outcome = _downloaded(request, limits.whole)
            copy = _copy(repo, outcome, folder)
    except OSError as error:
        reason = error.strerror or error
        raise Unavailable(
            f"cannot write to {store.home(repo)} ({reason}): set XDG_CACHE_HOME"
        ) from error
    if not outcome.commit.startswith(revision):
        store.remember(repo, revision, outcome.commit)
    return copy


def _copy(repo: str, outcome: Outcome, folder: Path) -> Copy:
    if outcome.files is not None:
        listing = Listing(repo, outcome.commit, store.host(), outcome.files)
        return Copy(store.publish(folder, listing), listing, new=True)
    copy = store.stored_copy(repo, outcome.commit)
    if copy is None:
        raise Unreachable(f"the copy of {repo} was removed meanwhile")
    return Copy(*copy, new=False)


def _downloaded(request: Request, seconds: float) -> Outcome:
    """The outcome of the download process; it is killed after `seconds`."""
    try:
        process = subprocess.run(
            DOWNLOAD,
            input=msgspec.json.encode(request),
            capture_output=True,
            timeout=seconds,
            env={
                **os.environ,
                **QUIET,
                "HF_HUB_DOWNLOAD_TIMEOUT": f"{max(1, round(request.wait))}",
            },
        )
    except subprocess.TimeoutExpired:
        slow = f"{request.repo} was not read within {seconds:g} s"
        raise Unreachable(f"{store.host()} is too slow: {slow}") from None
    try:
        outcome = msgspec.json.decode(process.stdout, type=Outcome)
    except msgspec.DecodeError:
        last = process.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise Unreachable(f"huggingface_hub fails: {''.join(last):.300}") from None
    if outcome.refused:
        raise (Unreachable if outcome.refused.again else Withheld)(outcome.refused.message)
    return outcome


QUIET = {
    "HF_HUB_OFFLINE": "0",
    "TRANSFORMERS_OFFLINE": "0",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_XET": "1",
}
"""Variables of the download; whether to ask at all was decided before."""


def _refuse_senseless() -> None:
    """An address that is none, and a token that no header can hold, before a library prints it."""
    address = store.endpoint()
    try:
        usable = urlsplit(address).scheme in ("http", "https") and urlsplit(address).hostname
    except ValueError:
        usable = None
    if not usable:
        raise Unavailable("HF_ENDPOINT is not an address that begins with https:// or http://")
    token = os.getenv("HF_TOKEN") or ""
    if token and not re.fullmatch(r"[!-~]+", token.strip()):
        raise Unavailable("the Hub token (HF_TOKEN) holds characters that no token has")
