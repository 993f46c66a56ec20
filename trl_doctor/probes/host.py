"""Runs probes in the target interpreter: imports the libraries once, then forks for each question.

`host.py IN OUT ROOT` takes requests as lines of JSON from the file descriptor IN and tells what
happens on OUT. `host.py --alone REQUEST.json` answers one request in this process and prints the
answer. A probe is a module beside this one with `answer(request) -> dict`.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import importlib.util
import json
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PACKAGE = "trl_doctor_probes"
CHILD_SUBREAPER, DEATH_SIGNAL = 36, 1
"""Numbers of Linux's prctl: orphans of a probe become ours; a probe dies with us."""


def main() -> None:
    """Serve the doctor, or answer one request."""
    _package()
    if sys.argv[1] == "--alone":
        request = json.loads(Path(sys.argv[2]).read_text("utf-8"))
        print(json.dumps(_child().answered(request), indent=2))
        return
    Host(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])).serve()


class Host:
    """The running probes by process id, and the pipes to and from the doctor."""

    def __init__(self, requests: int, events: int, root: Path) -> None:
        self.requests, self.events, self.root = requests, events, root
        self.running: dict[int, int] = {}
        self.wake, wakes = os.pipe()
        for pipe in (self.wake, wakes):
            os.set_blocking(pipe, False)
        self.wakes = wakes

    def serve(self) -> None:
        """Until the doctor closes its end: then everything is killed and removed."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.wakes, warn_on_full_buffer=False)
        prctl(CHILD_SUBREAPER, 1)
        rest = b""
        while True:
            ready, _, _ = select.select([self.requests, self.wake], [], [])
            if self.wake in ready:
                os.read(self.wake, 4096)
                self.reap()
            if self.requests in ready:
                part = os.read(self.requests, 1 << 16)
                if not part:
                    break
                *lines, rest = (rest + part).split(b"\n")
                for line in lines:
                    self.do(json.loads(line))
        for number in list(self.running.values()):
            self.kill(number)
        self.strays()
        shutil.rmtree(self.root, ignore_errors=True)
        os._exit(0)

    def do(self, order: dict[str, Any]) -> None:
        """One order of the doctor: import, ask or kill."""
        if "import" in order:
            self.import_all(order["import"])
        elif "kill" in order:
            self.kill(order["kill"])
        else:
            self.fork(order)

    def import_all(self, names: list[str]) -> None:
        """Import what the probes will need. What fails here fails again, and is told, there."""
        imported = _child().imported
        for name in names:
            self.tell(importing=name)
            imported(name)
        self.tell(ready=True)

    def fork(self, order: dict[str, Any]) -> None:
        """Start a probe in a session of its own."""
        run = _child().run
        child = os.fork()
        if not child:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for pipe in (self.requests, self.events, self.wake, self.wakes):
                os.close(pipe)
            prctl(DEATH_SIGNAL, signal.SIGKILL)
            run(order)
        self.running[child] = order["number"]
        self.tell(started=order["number"], process=child)

    def kill(self, number: int) -> None:
        """Kill a probe with its whole group. Its process is not reaped yet: its id is its own."""
        for process, one in self.running.items():
            if one == number:
                kill_group(process)

    def reap(self) -> None:
        """Tell which probes have ended, and how; what they left in their group is killed."""
        for process in list(self.running):
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            if os.waitid(os.P_PID, process, flags) is None:
                continue
            kill_group(process)
            _, status = os.waitpid(process, 0)
            number = self.running.pop(process)
            if not self.running:
                self.strays()
            code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            self.tell(ended=number, status=code)

    def strays(self) -> None:
        """Kill what left its probe's group: with no probe running, every child of ours is one."""
        for _ in range(100):
            found = [process for process in children() if process not in self.running]
            for process in found:
                kill_group(process)
                _quietly(os.kill, process, signal.SIGKILL)
                _quietly(os.waitpid, process, 0)
            if not found:
                return
            time.sleep(0.01)

    def tell(self, **event: Any) -> None:
        """Tell the doctor."""
        # where the doctor is gone, the closed request pipe ends us
        _quietly(os.write, self.events, json.dumps(event).encode() + b"\n")


def kill_group(process: int) -> None:
    """Kill the process group that a process leads."""
    _quietly(os.killpg, process, signal.SIGKILL)


def children() -> list[int]:
    """The ids of this process's children, where the system tells (Linux)."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except (OSError, UnicodeDecodeError):
            continue
        if fields[1] == str(os.getpid()):
            found.append(int(entry.parent.name))
    return found


def prctl(option: int, value: int) -> None:
    """Ask Linux to treat this process so; elsewhere nothing happens."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _quietly(call: Callable[..., Any], *arguments: Any) -> None:
    with contextlib.suppress(OSError):
        call(*arguments)


def _child() -> Any:
    return importlib.import_module(PACKAGE + ".child")


def _package() -> None:
    """Make the scripts beside this one a package, without their folder on the search path."""
    here = Path(__file__).resolve().parent
    sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != here]
    spec = importlib.util.spec_from_file_location(
        PACKAGE, str(here / "__init__.py"), submodule_search_locations=[str(here)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    main()
