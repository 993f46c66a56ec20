"""Renders chat templates as transformers does, each request in a forked child with limits.

Usage: render_chat.py PATH...; the paths are where this folder and jinja2 are. A request is one
line of JSON on stdin, its answer one line of JSON on stdout:

    {"template": "...", "limits": {"cpu_s": 2, "wall_s": 10, "memory": BYTES, "output": CHARS},
     "renders": [{"messages": [...], "variables": {...}, "tools": null,
                  "add_generation_prompt": false}, ...]}
    [{"text": "...", "generation": [[start, end], ...]},
     {"error": KIND, "message": "...", "line": 3}, ...]

KIND is raised, syntax, refused, error, depth, memory, time, size, crash or unavailable.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import select
import signal
import sys
import time
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

    from trl_doctor.asking.rendering.chat_sandbox import Sandbox

OUT_OF_MEMORY = 71
"""The exit status of a child whose memory is used up."""


UNUSED = ("jinja2.bccache", "jinja2.loaders")
"""Parts of jinja2 that read and write files; with what they import, a fifth of the start."""

LATER = ("ast", "inspect", "pprint", "random", "urllib.parse")
"""Modules of which jinja2 needs a function for a few filters; a fifth of the start too."""


class Unused(ModuleType):
    """A module whose names are all None."""

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)


class Later(ModuleType):
    """A module that is imported when one of its functions is called."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not name.islower() or name.startswith("__"):
            raise AttributeError(name)

        def function(*arguments: Any, **named: Any) -> Any:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
            return getattr(importlib.import_module(self.__name__), name)(*arguments, **named)

        return function


def limit(number: int, soft: int, hard: int) -> None:
    """Limit a resource of this process, within the limit that it may set."""
    allowed = resource.getrlimit(number)[1]
    if allowed != resource.RLIM_INFINITY:
        soft, hard = min(soft, allowed), min(hard, allowed)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(number, (soft, hard))


def limit_all(limits: dict[str, Any]) -> None:
    """Limit this process for good: processor, clock, files and, on Linux, memory."""
    for number in (signal.SIGALRM, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limits["wall_s"])
    limit(resource.RLIMIT_CORE, 0, 0)
    limit(resource.RLIMIT_FSIZE, 0, 0)
    limit(resource.RLIMIT_CPU, limits["cpu_s"], limits["cpu_s"] + 1)
    with contextlib.suppress(OSError):
        sizes = os.read(os.open("/proc/self/statm", os.O_RDONLY), 1000)
        in_use = int(sizes.split()[0]) * os.sysconf("SC_PAGE_SIZE")
        limit(resource.RLIMIT_AS, in_use + limits["memory"], in_use + limits["memory"])


def child(request: dict[str, Any], sandbox: Sandbox, write: int) -> NoReturn:
    """Answer every render of a request, one line each, and exit."""
    try:
        limit_all(request["limits"])
        try:
            template = sandbox.compile(request["template"])
        except Exception as error:
            send(write, len(request["renders"]) * line(sandbox.failure(error)))
            os._exit(0)
        for render in request["renders"]:
            try:
                answer = sandbox.rendered(template, render, request["limits"]["output"])
            except Exception as error:
                answer = sandbox.failure(error)
            send(write, line(answer))
        os._exit(0)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except BaseException:
        os._exit(1)


def line(value: object) -> bytes:
    """A value as a line of JSON in ASCII."""
    return json.dumps(value).encode() + b"\n"


def send(write: int, data: bytes) -> None:
    """Write all of it."""
    while data:
        data = data[os.write(write, data) :]


def collected(pipe: int, limits: dict[str, Any], renders: int) -> tuple[bytes, str | None]:
    """The output of a child until it closes its pipe, and why reading ended earlier, or None."""
    deadline = time.monotonic() + limits["wall_s"]
    room = renders * (6 * limits["output"] + 10_000)
    pieces: list[bytes] = []
    watch = select.poll()
    watch.register(pipe, select.POLLIN)
    watch.register(0, 0)
    while True:
        events = dict(watch.poll(max(0, deadline - time.monotonic()) * 1000))
        if pipe not in events:
            return b"".join(pieces), "time"
        piece = os.read(pipe, 1 << 16)
        if not piece:
            return b"".join(pieces), None
        pieces.append(piece)
        room -= len(piece)
        if room < 0:
            return b"".join(pieces), "size"


def ended(status: int, early: str | None) -> dict[str, Any]:
    """The answer for requests that a child with this exit status has not answered."""
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if early == "size":
        kind, message = "size", ""
    elif early or number in (signal.SIGXCPU, signal.SIGALRM):
        kind, message = "time", ""
    elif number == signal.SIGKILL or os.WEXITSTATUS(status) == OUT_OF_MEMORY:
        kind, message = "memory", ""
    elif number:
        kind, message = "crash", f"it died of {signal.Signals(number).name}"
    else:
        kind, message = "crash", "it ended without an answer"
    return {"error": kind, "message": message, "line": None}


def answers(request: dict[str, Any], sandbox: Sandbox) -> bytes:
    """The line that answers a request, computed in a separate child process."""
    renders = len(request["renders"])
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        child(request, sandbox, write)
    os.close(write)
    text, early = collected(read, request["limits"], renders)
    os.close(read)
    if early:
        os.kill(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    lines = text.split(b"\n")[:-1][:renders]
    lines += [line(ended(status, early)).strip()] * (renders - len(lines))
    return b"[" + b",".join(lines) + b"]\n"


def main() -> None:
    """Answer requests until stdin ends."""
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.path += sys.argv[1:]
    sandbox, missing = None, ""
    gc.disable()
    sys.modules.update({name: Unused(name) for name in UNUSED})
    sys.modules.update({name: Later(name) for name in LATER if name not in sys.modules})
    try:
        import chat_sandbox  # type: ignore[import-not-found]

        sandbox = chat_sandbox.Sandbox()
        sandbox.compile("{% for message in messages %}{{ message.content }}{% endfor %}")
    except ImportError as error:
        missing = str(error)
    gc.freeze()
    for request_line in sys.stdin.buffer:
        request = json.loads(request_line)
        if sandbox is None:
            refusal = {"error": "unavailable", "message": missing, "line": None}
            send(out, line([refusal] * len(request["renders"])))
        else:
            send(out, answers(request, sandbox))


if __name__ == "__main__":
    main()
