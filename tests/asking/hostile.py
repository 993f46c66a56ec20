"""Does to itself and its surroundings what a library may do; `request["do"]` names it."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

MIB = 1024**2


class Unspeakable(Exception):
    """Cannot say what is wrong."""

    def __str__(self) -> str:
        raise ValueError("no")


def answer(request: dict[str, Any]) -> Any:
    return DO[request["do"]](request)


def _raise(error: BaseException) -> Any:
    raise error


def _die_by(number: int) -> None:
    os.kill(os.getpid(), number)


def _take_memory(pause: float) -> None:
    held = []
    while True:
        held.append(b"\1" * (20 * MIB))
        time.sleep(pause)


def _hang(request: dict[str, Any]) -> None:
    Path(request.get("file", "hanging")).touch()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(60)


def _leave_child(request: dict[str, Any]) -> dict[str, Any]:
    if not os.fork():
        time.sleep(60)
        os._exit(0)
    return {}


def _leave_daemon(request: dict[str, Any]) -> dict[str, Any]:
    if not os.fork():
        os.setsid()
        if not os.fork():
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            Path(request["file"] + ".part").write_text(str(os.getpid()))
            Path(request["file"] + ".part").rename(request["file"])
            time.sleep(60)
        os._exit(0)
    while not Path(request["file"]).exists():
        time.sleep(0.01)
    return {}


def _keep_daemon(request: dict[str, Any]) -> dict[str, Any]:
    """Leave a daemon, and see after a while whether it still runs."""
    _leave_daemon(request)
    time.sleep(request["seconds"])
    state = Path("/proc", Path(request["file"]).read_text(), "stat").read_text().split()[2]
    return {"state": state}


def _await_end(request: dict[str, Any]) -> dict[str, Any]:
    """Wait until the daemon of another probe has started, and has been ended."""
    while not Path(request["file"]).exists():
        time.sleep(0.01)
    process = int(Path(request["file"]).read_text())
    with suppress(ProcessLookupError):
        while True:
            os.kill(process, 0)
            time.sleep(0.01)
    return {}


def _flood(request: dict[str, Any]) -> dict[str, Any]:
    part = b"x" * 99 + b"\n"
    for _ in range(512):
        os.write(1, part * 10_000)
        os.write(2, part * 10_000)
    return {}


def _noise(request: dict[str, Any]) -> Any:
    lies = json.dumps({"ended": 2, "status": 0}) + "\n" + json.dumps({"gone": 0}) + "\n"
    print(lies, "\x1b[2J\x1b]0;title\x07\x00\x08 bell\x07 old\rnew", flush=True)
    for end in range(3, 21):
        with suppress(OSError):
            os.write(end, lies.encode())
    raise ValueError("after the noise")


def _fill_disk() -> None:
    number = 0
    while True:
        number += 1
        Path(f"{number}").write_bytes(b"x" * 10_000)


def _sparse(request: dict[str, Any]) -> None:
    with Path("sparse").open("wb") as file:
        file.truncate(1024 * MIB)


def _bury(request: dict[str, Any]) -> dict[str, Any]:
    """Folders too deep for Python, and one that may not be read."""
    Path("shut").mkdir()
    Path("shut/file").write_text("x")
    Path("shut").chmod(0)
    for _ in range(1000):
        os.mkdir("d")  # noqa: PTH102
        os.chdir("d")
    return {}


def _loopback(request: dict[str, Any]) -> dict[str, Any]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(("localhost", server.getsockname()[1])).close()
    return {}


def _write_elsewhere(request: dict[str, Any]) -> dict[str, Any]:
    """Try every way of changing a folder of others; return those that succeeded."""
    folder = Path(request["folder"])
    ways: dict[str, Callable[[], object]] = {
        "write": lambda: (folder / "file").write_text("changed"),
        "append": lambda: (folder / "file").open("a").close(),
        "truncate": lambda: os.truncate(folder / "file", 0),
        "make": lambda: (folder / "made").touch(),
        "make a folder": lambda: (folder / "made").mkdir(),
        "link": lambda: (folder / "made").symlink_to("/"),
        "link hard": lambda: os.link(folder / "file", "linked"),
        "rename": lambda: (folder / "file").rename(folder / "renamed"),
        "take": lambda: (folder / "file").rename("taken"),
        "give": lambda: (Path("mine").touch(), Path("mine").rename(folder / "file")),
        "remove": lambda: (folder / "file").unlink(),
        "empty": lambda: (folder / "inner").rmdir(),
        "through a link": lambda: (
            Path("link").symlink_to(folder), Path("link/file").write_text("changed")
        ),
        "through a shell": lambda: subprocess.run(
            ["/bin/sh", "-c", 'echo changed > "$0"/file', folder], check=True
        ),
        "through C": lambda: _raise_if(ctypes.CDLL(None).unlink(bytes(folder / "file"))),
    }  # fmt: skip
    names = []
    for name, way in ways.items():
        with suppress(OSError, subprocess.SubprocessError):
            way()
            names.append(name)
    Path("own").write_text("here it may")
    return {"done": names}


def _raise_if(failed: int) -> None:
    if failed:
        raise OSError


def _vanish(folder: Path) -> dict[str, Any]:
    shutil.rmtree(folder, ignore_errors=True)
    return {"here": True}


def _close_everything(request: dict[str, Any]) -> dict[str, Any]:
    os.closerange(0, 1000)
    return {}


def _endless_threads(request: dict[str, Any]) -> dict[str, Any]:
    for _ in range(3):
        threading.Thread(target=time.sleep, args=(60,)).start()
    return {}


def _replace_streams(request: dict[str, Any]) -> dict[str, Any]:
    sys.stdout = None
    sys.stderr = object()  # type: ignore[assignment]
    return {}


_HELD: list[socket.socket] = []


def _litter(request: dict[str, Any]) -> Any:
    """Leave all that can be left (files, shared memory, sockets, a child, a daemon), then more."""
    mark = request["mark"]
    Path("left").write_text("x")
    Path(os.environ["TMPDIR"], "left").write_text("x")
    Path("/dev/shm", mark).write_bytes(b"x" * 4096)
    for name in ("socket", f"\0{mark}"):
        _HELD.append(socket.socket(socket.AF_UNIX))
        _HELD[-1].bind(name)
        _HELD[-1].listen()
    _leave_child(request)
    _leave_daemon({"file": "daemon"})
    return DO[request["then"]](request)


def _dig(depth: int) -> int:
    return _dig(depth + 1) + 1


DO: dict[str, Callable[[dict[str, Any]], Any]] = {
    "raise": lambda _: _raise(KeyError("lm_head")),
    "raise in two lines": lambda _: _raise(ValueError("first\nsecond")),
    "raise the unspeakable": lambda _: _raise(Unspeakable()),
    "raise at length": lambda _: _raise(ValueError("x" * 20 * MIB)),
    "raise SystemExit": lambda _: _raise(SystemExit("no GPU")),
    "exit": lambda _: sys.exit(0),
    "recurse": lambda _: _dig(0),
    "raise MemoryError": lambda _: _raise(MemoryError()),
    "no memory for a tensor": lambda _: _raise(
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried")
    ),
    "leave with 3": lambda _: os._exit(3),
    "leave with 0": lambda _: os._exit(0),
    "segfault": lambda _: ctypes.string_at(0),
    "die by SIGKILL": lambda _: _die_by(signal.SIGKILL),
    "take memory": lambda _: _take_memory(0.0),
    "take memory slowly": lambda _: _take_memory(0.05),
    "hang": _hang,
    "kill the host": lambda _: _hang(os.kill(os.getppid(), signal.SIGKILL) or {}),
    "kill the host beside a daemon": lambda request: [
        _leave_daemon(request),
        _hang(os.kill(os.getppid(), signal.SIGKILL) or {}),
    ],
    "stop the host": lambda _: _hang(os.kill(os.getppid(), signal.SIGSTOP) or {}),
    "leave a child": _leave_child,
    "leave a daemon": _leave_daemon,
    "keep a daemon": _keep_daemon,
    "await its end": _await_end,
    "flood": _flood,
    "noise": _noise,
    "fill the disk": lambda _: _fill_disk(),
    "sparse file": _sparse,
    "bury": _bury,
    "ask a question": lambda _: input("Proceed? "),
    "write elsewhere": _write_elsewhere,
    "connect": lambda _: socket.create_connection(("192.0.2.1", 80), 1),
    "look up": lambda _: socket.getaddrinfo("example.org", 80),
    "look up backwards": lambda _: socket.gethostbyaddr("192.0.2.1"),
    "download": lambda _: urllib.request.urlopen("http://example.org", timeout=1),
    "loopback": _loopback,
    "delete its folder": lambda _: _vanish(Path.cwd()),
    "delete all its folders": lambda _: _vanish(Path.cwd().parent),
    "go elsewhere": lambda _: os.chdir("/") or {},
    "answer a set": lambda _: {"tokens": {1, 2}},
    "answer an object": lambda _: object(),
    "answer a list": lambda _: [1],
    "answer NaN": lambda _: {"loss": float("nan")},
    "answer itself": lambda request: request.setdefault("self", request),
    "answer 50 MB": lambda _: {"text": "x" * 50 * MIB},
    "close everything": _close_everything,
    "endless threads": _endless_threads,
    "replace the streams": _replace_streams,
    "handle signals": lambda _: [signal.signal(n, lambda *_: None) for n in (2, 15, 17)] and {},
    "raise secrets": lambda request: _raise(ValueError(exec(request["code"]) or request["code"])),
    "litter": _litter,
    "write repeat.py": lambda _: {"n": Path("repeat.py").write_text("print('again')")},
    "leave a pipe": lambda _: os.mkfifo("pipe") or {},
    "sleep": lambda request: time.sleep(request["seconds"]) or {},
    "when": lambda request: {"from": time.monotonic(), "to": time.sleep(0.3) or time.monotonic()},
    "surroundings": lambda _: {
        "folder": os.getcwd(),  # noqa: PTH109
        "files": os.listdir(),  # noqa: PTH208
        "host": os.getppid(),
        "variables": dict(os.environ),
    },
}
