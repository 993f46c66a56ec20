"""The process that renders chat templates: a line of JSON in, a line of JSON out."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from pathlib import Path

from trl_doctor.core.unavailable import Unavailable

SCRIPT = Path(__file__).with_name("render_chat.py")

INHERITED = ("TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""All that the process gets of the environment: what the clock and the interpreter need."""


class Gone(Exception):
    """The process died, or did not answer in time."""


class RendererProcess:
    """The running script, in a process group of its own, and the pipes to it and from it.

    Starting does not wait for it. Raises `Unavailable` if it cannot be started. `owner` is
    the process that started it: a fork of that one must leave it alone.
    """

    def __init__(self) -> None:
        if not hasattr(os, "fork") or not sys.executable:
            raise Unavailable("chat templates are rendered only on systems that can fork a process")
        pipes: list[int] = []
        try:
            pipes += os.pipe()
            pipes += os.pipe()
            their_in, self._in, self._out, their_out = pipes
            self.pid = _spawn(their_in, their_out)
        except OSError as error:
            for pipe in pipes:
                os.close(pipe)
            raise Unavailable(f"no process could be started: {error.strerror}") from error
        os.close(their_in)
        os.close(their_out)
        self.owner = os.getpid()
        os.set_blocking(self._in, False)

    def exchange(self, request: bytes, deadline: float) -> bytes:
        """The line that answers a request line; raises `Gone` if none comes in time.

        `deadline` is a value of `time.monotonic()`.
        """
        watch = select.poll()
        watch.register(self._out, select.POLLIN)
        watch.register(self._in, select.POLLOUT)
        answer, unwritten = bytearray(), memoryview(request)
        while not answer.endswith(b"\n"):
            ready = dict(watch.poll(max(0.0, deadline - time.monotonic()) * 1000))
            if not ready:
                raise Gone
            if self._out in ready:
                answer += self._read_bytes()
            elif self._in in ready:
                unwritten = unwritten[self._write(unwritten) :]
                if not unwritten:
                    watch.unregister(self._in)
        return bytes(answer)

    def kill(self) -> None:
        """End the whole process group, and wait until the process has gone."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        os.close(self._in)
        os.close(self._out)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    def _read_bytes(self) -> bytes:
        data = os.read(self._out, 1 << 20)
        if not data:
            raise Gone
        return data

    def _write(self, request: memoryview) -> int:
        try:
            return os.write(self._in, request)
        except OSError as error:
            raise Gone from error


def _spawn(their_in: int, their_out: int) -> int:
    """Start the script on two pipes, without site-packages, user settings or our folder."""
    paths = [path for path in sys.path if path not in ("", ".", str(Path.cwd()))]
    environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", "-X", "utf8", str(SCRIPT), str(SCRIPT.parent), *paths],
        environment,
        file_actions=[
            (os.POSIX_SPAWN_DUP2, their_in, 0),
            (os.POSIX_SPAWN_DUP2, their_out, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ],
        setpgroup=0,
    )
