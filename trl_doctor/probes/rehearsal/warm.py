"""Runs a script in forks of a process that has imported the libraries already.

Importing this module begins to wait for the libraries: import it before them. They stay as they
are for everything that is no rehearsal.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import io
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ..processes import kill_group
from . import leaving
from .order import Order, none_yet
from .shim import waiting_for_libraries
from .start import started

EVERY = 0.02
"""Seconds between two looks whether the script has ended."""

PATIENCE = 5.0
"""Seconds that the other processes have to say how they fail, after one has failed."""

SHIM = waiting_for_libraries(none_yet())


class Forks:
    """The processes of a script, forks of this one; with what we need of a `Popen`.

    Several are the ranks of one training, as torchrun starts them: where one fails, the others are
    ended.
    """

    def __init__(
        self, words: Sequence[str], order: Order, variables: Mapping[str, str], count: int
    ) -> None:
        self._ended: dict[int, int] = {}
        self._failed = 0.0
        caches = (Path(os.environ["HF_HOME"]),) if "HF_HOME" in os.environ else ()
        order = dataclasses.replace(order, caches=caches)
        common = _ranks(count)
        self.pids = []
        for rank in range(count):
            own = {"RANK": str(rank), "LOCAL_RANK": str(rank), **common} if count > 1 else {}
            process = os.fork()
            if not process:
                try:
                    _run(words, order, {**variables, **own})
                finally:
                    os._exit(1)
            self.pids.append(process)

    def wait(self, seconds: float | None = None) -> int:
        """The first exit status that is not 0, negative for a signal; 0 if all are.

        Raises `subprocess.TimeoutExpired`.
        """
        end = None if seconds is None else time.monotonic() + seconds
        while len(self._ended) < len(self.pids):
            if not self._look() and end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired("script", seconds or 0.0)
            if self._failed and time.monotonic() > self._failed + PATIENCE:
                self.kill()
            time.sleep(EVERY)
        return next((status for status in self._ended.values() if status), 0)

    def kill(self) -> None:
        """End what still runs, with its group."""
        for process in self.pids:
            if process not in self._ended:
                kill_group(process)

    def _look(self) -> bool:
        """Whether a process has ended since the last look."""
        before = len(self._ended)
        for process in self.pids:
            pid, status = (0, 0) if process in self._ended else os.waitpid(process, os.WNOHANG)
            if pid:
                signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
                self._ended[process] = -signal or os.WEXITSTATUS(status)
                if self._ended[process] and not self._failed:
                    self._failed = time.monotonic()
        return len(self._ended) > before


def _ranks(count: int) -> dict[str, str]:
    """What all processes of a training must know of each other."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return {"WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count),
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}  # fmt: skip


def _run(words: Sequence[str], order: Order, variables: Mapping[str, str]) -> None:
    """Run the script as `python script.py …` does, and end the process. Does not return."""
    os.setsid()
    os.chdir(str(order.folder))
    environment = started(order, {**os.environ, **variables})
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    script = order.folder / words[0]
    sys.argv[:], sys.path[:0] = list(words), [str(script.parent)]
    SHIM.order.become(order)
    SHIM.begin()
    status = _executed(script)
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    _keep_operators()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(status)


def _keep_operators() -> None:
    """Let torch leave its operators: it takes back hundreds, one by one, when a process ends."""
    takes_back = getattr(sys.modules.get("torch.library"), "_del_library", None)
    for finalizer in list(getattr(weakref.finalize, "_registry", ())):
        if (about := finalizer.peek()) and about[1] is takes_back:
            finalizer.atexit = False


def _executed(script: Path) -> int:
    """The exit status of a script that runs as `__main__`."""
    main: Any = ModuleType("__main__")
    main.__file__ = str(script)
    sys.modules["__main__"] = main
    try:
        with io.open_code(str(script)) as file:
            code = compile(file.read(), str(script), "exec")
        exec(code, vars(main))
    except SystemExit as leave:
        leaving.raised(SHIM.record, leave)
        return _status(leave.code)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


def _status(code: Any) -> int:
    """The exit status that `sys.exit(code)` means."""
    if code is None or isinstance(code, int):
        return (code or 0) & 0xFF
    print(code, file=sys.stderr)
    return 1
