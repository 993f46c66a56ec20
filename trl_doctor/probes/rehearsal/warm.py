"""Runs a script in a fork of a process that has imported the libraries already.

Importing this module begins to wait for the libraries: import it before them. They stay as they
are for everything that is no rehearsal.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import io
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from .order import Order, none_yet
from .shim import waiting_for_libraries
from .start import started

EVERY = 0.02
"""Seconds between two looks whether the script has ended."""

SHIM = waiting_for_libraries(none_yet())


class Fork:
    """A script that runs in a fork of this process; with the methods of a `Popen` that we need."""

    def __init__(self, words: Sequence[str], order: Order, variables: Mapping[str, str]) -> None:
        self._status: int | None = None
        caches = (Path(os.environ["HF_HOME"]),) if "HF_HOME" in os.environ else ()
        self.pid = os.fork()
        if not self.pid:
            try:
                _run(words, dataclasses.replace(order, caches=caches), variables)
            finally:
                os._exit(1)

    def wait(self, seconds: float | None = None) -> int:
        """The exit status, negative for a signal. Raises `subprocess.TimeoutExpired`."""
        end = None if seconds is None else time.monotonic() + seconds
        while self._status is None:
            done, status = os.waitpid(self.pid, os.WNOHANG)
            if done:
                signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
                self._status = -signal or os.WEXITSTATUS(status)
            elif end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired("script", seconds or 0.0)
            else:
                time.sleep(EVERY)
        return self._status


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
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(status)


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
