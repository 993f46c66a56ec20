"""What the Hub says of a repository: its commit, its files, and why it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar
from urllib.parse import quote

import msgspec

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.hub.cache import COMMIT
from trl_doctor.files.hub.client import Line, Response, Unreachable, ask

S = TypeVar("S", bound="Head")

ANSWER = 32 << 20
"""Bytes of the longest listing that is read."""


class Head(msgspec.Struct):
    """What `/api/models/<repo>/revision/<revision>` says first of all."""

    sha: str


class Stored(msgspec.Struct):
    """The large-file part of a sibling."""

    size: int


class Sibling(msgspec.Struct):
    """One file of a repository; `size` is in bytes."""

    rfilename: str
    size: int | None = None
    lfs: Stored | None = None


class Tree(Head):
    """The same answer where `blobs=true` was asked for."""

    siblings: list[Sibling]


def commit_of(line: Line, repo: str, revision: str) -> str:
    """The commit (40 hex digits) that a revision means now, by a request of a few bytes."""
    return _model(line, repo, revision, "expand=sha", Head).sha


def files_of(line: Line, repo: str, revision: str) -> tuple[str, dict[str, int]]:
    """The commit that a revision means now, and the size of each of its files by path."""
    tree = _model(line, repo, revision, "blobs=true", Tree)
    files: dict[str, int] = {}
    for sibling in tree.siblings:
        size = sibling.lfs.size if sibling.lfs else sibling.size
        if size is None or size < 0:
            raise Unreachable(f"{line.host} names no size of {sibling.rfilename[:80]!r}")
        if not contained(sibling.rfilename):
            outside = f"a file outside the repository: {sibling.rfilename[:80]!r}"
            raise Unavailable(f"{line.host} answers with {outside}")
        files[sibling.rfilename] = size
    return tree.sha, files


def contained(name: str) -> bool:
    """Whether a path from a server stays in the folder that it is joined to."""
    parts = name.split("/")
    return len(name) < 1000 and name.isprintable() and not {"", ".", ".."} & set(parts)


def _model(line: Line, repo: str, revision: str, query: str, kind: type[S]) -> S:
    url = f"{line.endpoint}/api/models/{repo}/revision/{quote(revision, safe='')}?{query}"
    body = bytearray()
    with ask(line, url) as answer:
        if answer.status != 200:
            raise refusal(line, answer, repo, revision)
        for piece in answer.pieces:
            body += piece
            if len(body) > ANSWER:
                raise Unavailable(f"{repo} has more files on {line.host} than can be listed")
    try:
        said = msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        what = answer.headers.get("content-type", "").partition(";")[0][:40] or "something else"
        reason = f"{line.host} answers with {what} that is no listing of {repo}"
        raise Unreachable(f"{reason}: is a proxy or a log-in page in between?") from None
    if not COMMIT.fullmatch(said.sha):
        raise Unreachable(f"{line.host} answers with a commit that is none: {said.sha[:50]!r}")
    return said


def refusal(line: Line, answer: Response, repo: str, revision: str) -> Unavailable:
    """Why the Hub does not give what was asked for, and what to do about it."""
    code, said = (answer.headers.get(name, "") for name in ("x-error-code", "x-error-message"))
    page, log_in = f"{line.endpoint}/{repo}", "run `hf auth login` or set HF_TOKEN"
    if code == "GatedRepo":
        way = "ask for access with the account of your token" if line.has_token else log_in
        return Unavailable(f"{repo} is gated: accept its terms on {_shown(page)}, then {way}")
    if code == "RevisionNotFound":
        return Unavailable(f"{repo} has no revision {revision!r} on {line.host}")
    if answer.status == 401 and "invalid" in said.lower() and line.has_token:
        return Unavailable(f"{line.host} does not know your token (any more): {log_in}")
    if code == "RepoNotFound" or answer.status in (401, 404):
        private = "that your token may read" if line.has_token else f"(if it is private, {log_in})"
        return Unavailable(f"there is no repository {repo} on {line.host} {private}")
    if answer.status == 403:
        return Unavailable(f"{line.host} refuses access to {repo}: {_words(said) or '403'}")
    if answer.status == 429:
        return Unreachable(f"{line.host} asks to slow down (429){_pause(answer.headers)}")
    return Unreachable(f"{line.host} fails ({answer.status})")


def _shown(page: str) -> str:
    scheme, _, rest = page.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def _words(said: str) -> str:
    return "".join(letter for letter in said[:200] if letter.isprintable())


def _pause(headers: Mapping[str, str]) -> str:
    seconds = headers.get("retry-after", "")
    return f", for {seconds} s" if seconds.isdigit() else ""
