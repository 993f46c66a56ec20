"""A small Hub on the loopback address: it answers as the real one does, and counts."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

LARGE = 1 << 20
"""Bytes from which a file stands in the storage, as with LFS, and is redirected to."""

TOKEN = "hf_ThisIsTheRightToken"


@dataclass(frozen=True)
class Request:
    """One request as it arrived; `server` is "hub" or "storage"."""

    server: str
    method: str
    path: str
    headers: Mapping[str, str]


@dataclass
class Repository:
    """Folders by commit, commits by branch or tag."""

    folders: dict[str, Path] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def commit(self, revision: str) -> str | None:
        if revision in self.names:
            return self.names[revision]
        begun = [c for c in self.folders if len(revision) >= 5 and c.startswith(revision)]
        return begun[0] if len(begun) == 1 else None


class Server(ThreadingHTTPServer):
    """Takes it calmly that a client goes away."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class SmallHub:
    """Repositories given as folders. `with SmallHub() as hub:` starts and ends it.

    `gated` and `private` repositories need TOKEN. `moved` maps old names to new ones. `instead`
    maps a piece of a path to what is done in place of the answer. `requests` are all that came,
    `sent` the bytes of all bodies that left.
    """

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.gated: set[str] = set()
        self.private: set[str] = set()
        self.moved: dict[str, str] = {}
        self.instead: dict[str, Callable[[Handler], None]] = {}
        self.ranges = True
        self.requests: list[Request] = []
        self.sent = 0
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._servers = [self._server("hub"), self._server("storage")]
        self.address, self.storage = (
            f"http://127.0.0.1:{server.server_port}" for server in self._servers
        )

    def _server(self, name: str) -> ThreadingHTTPServer:
        kind = type("Bound", (Handler,), {"hub": self, "name": name})
        return Server(("127.0.0.1", 0), kind)

    def __enter__(self) -> SmallHub:
        for server in self._servers:
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def add(self, repo: str, folder: Path, *names: str) -> str:
        """Put a folder's files into a repository under branch or tag names; the commit."""
        listing = "".join(f"{file}{digest(folder / file)}" for file in files(folder))
        commit = hashlib.sha1(listing.encode()).hexdigest()
        repository = self.repositories.setdefault(repo, Repository())
        repository.folders[commit] = folder
        repository.names.update(dict.fromkeys(names or ("main",), commit))
        return commit

    def forget(self) -> None:
        """Count anew."""
        self.requests, self.sent = [], 0

    def note(self, request: Request) -> None:
        with self._lock:
            self.requests.append(request)

    def count(self, size: int) -> None:
        with self._lock:
            self.sent += size


def files(folder: Path) -> list[str]:
    return sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file())


def digest(file: Path) -> str:
    """64 hex digits that tell files apart; of a large one only the beginning counts."""
    with file.open("rb") as opened:
        start = opened.read(LARGE)
    return hashlib.sha256(start + str(file.stat().st_size).encode()).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Answers for the Hub and for its storage, which is another origin."""

    protocol_version = "HTTP/1.1"
    hub: SmallHub
    name: str

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.do_GET()

    def do_GET(self) -> None:
        headers = {key.lower(): value for key, value in self.headers.items()}
        self.hub.note(Request(self.name, self.command, self.path, headers))
        try:
            for piece, act in list(self.hub.instead.items()):  # an act may remove itself
                if piece in self.path:
                    return act(self)
            if self.name == "storage":
                return self.file(Path(unquote(urlsplit(self.path).path)), {})
            self.route(urlsplit(self.path).path.strip("/").split("/"))
        except ConnectionError:
            self.close_connection = True

    def route(self, parts: list[str]) -> None:
        api = parts[:2] == ["api", "models"]
        parts = [unquote(part) for part in parts[2 if api else 0 :]]
        action = next((p for p in parts if p in ("revision", "tree", "resolve")), "")
        end = parts.index(action) if action else len(parts)
        repo = "/".join(parts[:end])
        revision, rest = (parts[end + 1 : end + 2] or ["main"])[0], "/".join(parts[end + 2 :])
        if repo in self.hub.moved:
            where = self.path.replace(repo, self.hub.moved[repo], 1)
            return self.answer(307, b"", {"Location": where})
        repository = self.allowed(repo, files_wanted=not api)
        if repository is None:
            return
        commit = repository.commit(revision)
        if commit is None:
            return self.refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        if not api:
            return self.resolve(repository.folders[commit], commit, rest)
        if action == "tree":
            return self.json(listed(repository.folders[commit], "path"))
        query = parse_qs(urlsplit(self.path).query)
        data: dict[str, Any] = {"id": repo, "sha": commit}
        if "expand" not in query:
            data["siblings"] = listed(repository.folders[commit], "rfilename")
            data |= {"private": False, "gated": False, "tags": [], "downloads": 0}
            if "blobs" not in query:
                data["siblings"] = [{"rfilename": f["rfilename"]} for f in data["siblings"]]
        self.json(data)

    def allowed(self, repo: str, files_wanted: bool) -> Repository | None:
        """The repository, or None after a refusal like the Hub's."""
        given = self.headers.get("Authorization")
        exists, right = repo in self.hub.repositories, given == f"Bearer {TOKEN}"
        if given and not right and repo not in self.hub.gated:
            self.refuse(401, "", "Invalid credentials in Authorization header")
        elif not exists or (repo in self.hub.private and not right):
            code, message = "RepoNotFound", "Repository not found"
            self.refuse(404, code, message) if given else self.refuse(401, code, "Invalid username")
        elif files_wanted and repo in self.hub.gated and not right:
            message = f"Access to model {repo} is restricted."
            self.refuse(403 if given else 401, "GatedRepo", message)
        else:
            return self.hub.repositories[repo]
        return None

    def resolve(self, folder: Path, commit: str, name: str) -> None:
        file = folder / name
        headers = {"X-Repo-Commit": commit}
        if not file.is_file():
            return self.refuse(404, "EntryNotFound", "Entry not found")
        tag = f'"{digest(file)}"'
        if file.stat().st_size < LARGE:
            return self.file(file, {**headers, "ETag": tag})
        headers |= {"X-Linked-ETag": tag, "X-Linked-Size": str(file.stat().st_size)}
        self.answer(302, b"", {**headers, "Location": f"{self.hub.storage}{file}"})

    def file(self, file: Path, headers: Mapping[str, str]) -> None:
        size = file.stat().st_size
        start, stop, status = 0, size, 200
        byte_range = self.headers.get("Range", "")
        if self.hub.ranges and byte_range.startswith("bytes="):
            first, _, last = byte_range.removeprefix("bytes=").partition("-")
            start, stop, status = int(first), min(int(last or size) + 1, size), 206
            headers = {**headers, "Content-Range": f"bytes {start}-{stop - 1}/{size}"}
        self.start(status, stop - start, headers)
        with file.open("rb") as opened:
            opened.seek(start)
            while self.command == "GET" and start < stop:
                start += self.body(opened.read(min(1 << 16, stop - start)))

    def json(self, value: object) -> None:
        self.answer(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def refuse(self, status: int, code: str, message: str) -> None:
        headers = {"X-Error-Message": message, "Content-Type": "application/json"}
        if code:
            headers["X-Error-Code"] = code
        self.answer(status, json.dumps({"error": message}).encode(), headers)

    def answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.start(status, len(body), headers)
        if self.command != "HEAD":
            self.body(body)

    def start(self, status: int, length: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for key, value in {"Content-Length": str(length), **headers}.items():
            self.send_header(key, value)
        self.end_headers()

    def body(self, piece: bytes) -> int:
        self.hub.count(len(piece))
        self.wfile.write(piece)
        return len(piece)

    def log_message(self, *_: object) -> None:
        pass


def listed(folder: Path, key: str) -> list[dict[str, Any]]:
    entries = []
    for name in files(folder):
        size, oid = (folder / name).stat().st_size, digest(folder / name)
        entry: dict[str, Any] = {key: name, "size": size, "type": "file"}
        entry |= {"oid": oid[:40], "blobId": oid[:40]}
        if size >= LARGE:
            entry["lfs"] = {"oid": oid, "sha256": oid, "size": size, "pointerSize": 134}
        entries.append(entry)
    return entries


def says(status: int, body: bytes = b"", **headers: str) -> Callable[[Handler], None]:
    """An answer to put in the place of another; `_` in header names stands for `-`."""
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return lambda handler: handler.answer(status, body, named)


def hangs(handler: Handler) -> None:
    """Never answer."""
    handler.hub.closing.wait(30)
    handler.close_connection = True


def drips(handler: Handler) -> None:
    """One byte of a header line now and then: never silent for long, never done."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not handler.hub.closing.wait(0.05):
        handler.wfile.write(b"z")


def breaks_off(handler: Handler) -> None:
    """Announce more than is sent, on a connection that no other request shares.

    Bytes after the answer to a HEAD would be taken for the answer to whatever comes next.
    """
    handler.close_connection = True
    handler.start(200, 1000, {"Content-Type": "application/json", "Connection": "close"})
    if handler.command != "HEAD":
        handler.body(b'{"sha": ')
    handler.connection.shutdown(2)
