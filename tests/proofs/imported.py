"""A process that has imported an environment's libraries, what is forked from it, and a pool."""

from __future__ import annotations

import json
import os
import select
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

SCRIPT = Path(__file__).with_name("real_host.py")
FOLDER = tempfile.gettempdir()
"""A test may have another folder for temporary files: what is kept is not there."""


def inherited() -> dict[str, str]:
    """This process's variables, without the one that names the test."""
    return {name: text for name, text in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


class Forked:
    """A process that another one has forked: as much of a `Popen` as a `Host` needs.

    Its status is not known here. Its guard reports how a host ended.
    """

    def __init__(self, pid: int) -> None:
        self.pid, self.returncode = pid, None
        self._end = os.pidfd_open(pid)

    def poll(self) -> int | None:
        if self.returncode is None and select.select([self._end], [], [], 0)[0]:
            self._ended()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int | None:
        if self.returncode is None:
            if not select.select([self._end], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("host", timeout or 0.0)
            self._ended()
        return self.returncode

    def _ended(self) -> None:
        os.close(self._end)
        self.returncode = 0


class Imported:
    """A running `real_host.py`, and its folder for temporary files.

    `own` are the variables under which it imports. Real runs and hosts of the doctor are forked
    from it; they have variables of their own, but one HF_HOME, which libraries read when they are
    imported: whoever has used it leaves it empty.
    """

    def __init__(self, python: Path, own: Mapping[str, str], modules: Sequence[str]) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="real-", dir=FOLDER))
        self.home, self.scratch = self.root / "home", self.root / "scratch"
        self.places = {"HF_HOME": str(self.home), "TMPDIR": str(self.scratch)}
        self.empty()
        self.idle: dict[frozenset[tuple[str, str]], list[Any]] = {}
        """Hosts of the doctor that nobody uses now, by their variables; they end with this."""
        self.orders, theirs = socket.socketpair()
        with (self.root / "log").open("w") as log, theirs:
            self.process = subprocess.Popen(
                [python, SCRIPT, *modules],
                stdin=theirs,
                stdout=log,
                stderr=log,
                cwd=self.root,
                env={**own, **self.places},
                start_new_session=True,
            )

    def run(
        self, arguments: Sequence[str], given: str, cwd: Path | None, **order: Any
    ) -> subprocess.CompletedProcess[str]:
        """What `python arguments` does in a fork, with the rest of an order."""
        files = {name: str(self.root / name) for name in ("input", "output", "errors")}
        for name, file in files.items():
            Path(file).write_text(given if name == "input" else "")
        order |= {"arguments": arguments, "cwd": str(cwd or self.scratch), **files}
        status = self._ordered(order)["status"]
        output, errors = (
            Path(files[name]).read_text("utf-8", "replace") for name in ("output", "errors")
        )
        self.empty()
        return subprocess.CompletedProcess(list(arguments), status, output, errors)

    def start(self, arguments: Sequence[str], cwd: Path, log: Path, **order: Any) -> Forked:
        """The same without waiting: the caller ends it. What it prints goes to the log."""
        log.touch()
        files = {"input": os.devnull, "output": str(log), "errors": str(log)}
        return Forked(
            self._ordered({"arguments": arguments, "cwd": str(cwd), **files, **order})["process"]
        )

    def host(self, ends: Sequence[int], **order: Any) -> Forked:
        """A fork that serves the doctor: `ends` are for its requests, its events, its output."""
        return Forked(self._ordered({"host": order}, ends)["process"])

    def _ordered(self, order: Mapping[str, Any], ends: Sequence[int] = ()) -> Any:
        """The answer to an order."""
        line = json.dumps(order).encode() + b"\n"
        if ends:
            line = line[socket.send_fds(self.orders, [line], list(ends)) :]
        self.orders.sendall(line)
        answer = b""
        while not answer.endswith(b"\n"):
            part = self.orders.recv(1 << 16)
            assert part, (self.root / "log").read_text()[-2000:]
            answer += part
        return json.loads(answer)

    def empty(self) -> None:
        """Nothing is left of what was there. The folders stay: a host may write to these only."""
        for folder in (self.home, self.scratch):
            folder.mkdir(exist_ok=True)
            for path in folder.iterdir():
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)

    def alive(self) -> bool:
        return self.process.poll() is None

    def end(self) -> None:
        for hosts in self.idle.values():
            while hosts:
                hosts.pop().end()
        self.orders.close()
        self.process.wait()


class Endable(Protocol):
    """A process that is kept: one can see whether it still runs, and end it."""

    def alive(self) -> bool: ...

    def end(self) -> None: ...


Process = TypeVar("Process", bound=Endable)


class Pool:
    """The processes that were used last, each with what it was made of; at most `most`."""

    def __init__(self, most: int = 2) -> None:
        self.most = most
        self._kept: list[tuple[Any, Endable]] = []

    def take(self, key: Any, make: Callable[[], Process]) -> Process:
        """A process of this key, or a new one; no other caller gets it until it is put back."""
        for at, (other, process) in enumerate(self._kept):
            if other == key:
                del self._kept[at]
                if process.alive():
                    return process  # type: ignore[return-value]
                process.end()
                break
        return make()

    def put(self, key: Any, process: Endable) -> None:
        """Keep a process for who asks next."""
        self._kept.append((key, process))
        while len(self._kept) > self.most:
            self._kept.pop(0)[1].end()

    def close(self) -> None:
        """End them all."""
        while self._kept:
            self._kept.pop()[1].end()
