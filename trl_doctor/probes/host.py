"""Runs probes in the target interpreter: imports the libraries once, then forks for each question.

`host.py IN OUT ROOT IMPORT...` takes orders as lines of JSON from the file descriptor IN and tells
what happens on OUT. `host.py --alone REQUEST.json` answers one request in this process, prints
the answer, and exits with 1 if there is none. `host.py --probe FOLDER` is a probe that could
not be forked: what was imported had touched CUDA, which no fork can use then. A probe is a module
beside this one with `answer(request) -> dict`.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import json
import os
import select
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

PACKAGE = "trl_doctor_probes"


def main() -> None:
    """Serve the doctor, or answer one request."""
    _package()
    if sys.argv[1] == "--alone":
        sys.exit(alone(Path(sys.argv[2])))
    if sys.argv[1] == "--probe":
        _ours("network").close()
        _ours("child").run(Path(sys.argv[2]))
    requests, events = (_ours("processes").out_of_the_way(int(end)) for end in sys.argv[1:3])
    _ours("guard").stand_guard(requests, events, Path(sys.argv[3]))
    _ours("landlock").confine([Path(sys.argv[3]), Path(os.environ["XDG_CACHE_HOME"])])
    host = Host(requests, events)
    host.import_all(sys.argv[4:])
    host.serve()


def alone(file: Path) -> int:
    """Answer one request in this process, in an empty folder; returns the exit status.

    Whatever the libraries print goes to standard error.
    """
    order = json.loads(file.read_text("utf-8"))
    processes = _ours("processes")
    processes.adopt_orphans()
    ours = processes.out_of_the_way(os.dup(1))
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        _ours("network").close()
        answer = _ours("child").answered(order)
        os.chdir("/")
    processes.kill_children()
    with os.fdopen(ours, "w") as stream:
        print(json.dumps(answer, indent=2), file=stream)
    return 0 if "answer" in answer else 1


class Host:
    """The running probes by process id, and the pipes to and from the doctor."""

    def __init__(self, requests: int, events: int) -> None:
        self.requests, self.events = requests, events
        self.running: dict[int, int] = {}
        self.own: set[int] = set()
        self.forks = True
        self.processes = _ours("processes")
        self.processes.adopt_orphans()
        self.wake, self.wakes = self.processes.child_signals()

    def import_all(self, names: list[str]) -> None:
        """Import what the probes will need. What fails here fails again there, and is reported."""
        _ours("network").close()
        child = _ours("child")
        gc.disable()
        for name in names:
            self.send_event(importing=name)
            with contextlib.suppress(BaseException):
                child.import_named(name)
        _ours("tables").make_tables()
        gc.enable()
        gc.freeze()  # or each collection in each probe looks through all that is imported here
        self.own = set(self.processes.children())
        self.forks = not forks_lose_cuda()
        self.send_event(ready=True)

    def serve(self) -> None:
        """Until the doctor closes its end: then all probes are killed. Does not return."""
        watch = select.poll()
        watch.register(self.requests, select.POLLIN)
        watch.register(self.wake, select.POLLIN)
        rest = b""
        while True:
            ready = dict(watch.poll())
            if self.wake in ready:
                self.processes.quietly(os.read, self.wake, 4096)
                self.reap()
            if self.requests in ready:
                part = os.read(self.requests, 1 << 16)
                if not part:
                    break
                *lines, rest = (rest + part).split(b"\n")
                for line in lines:
                    self.do(json.loads(line))
        for process in self.running:
            self.processes.kill_group(process)
        self.processes.kill_children()
        os._exit(0)

    def do(self, order: dict[str, Any]) -> None:
        """One order of the doctor: ask or kill."""
        if "kill" in order:
            self.kill(order["kill"])
        else:
            self.ask(order["ask"], Path(order["folder"]))

    def ask(self, number: int, folder: Path) -> None:
        """Start a probe, which reads its request in its folder."""
        host = os.getpid()
        try:
            process = os.fork()
        except OSError as error:
            self.send_event(failed=number, reason=f"no process could be started: {error.strerror}")
            return
        if not process:
            try:
                self._leave(host)
                if not self.forks:
                    os.execv(sys.executable, [sys.executable, __file__, "--probe", str(folder)])
                _ours("child").run(folder)
            finally:
                os._exit(1)
        self.running[process] = number
        self.send_event(started=number, process=process)

    def kill(self, number: int) -> None:
        """Kill a probe with its whole group."""
        for process, running in self.running.items():
            if running == number:
                self.processes.kill_group(process)
                self.processes.quietly(os.kill, process, signal.SIGKILL)

    def reap(self) -> None:
        """Report which probes have ended, and how; kill what they left behind.

        Each probe inherits its own orphans, and at its end they become the host's children.
        """
        ended = []
        for process in list(self.running):
            reaped, status = os.waitpid(process, os.WNOHANG)
            if reaped:
                self.processes.kill_group(process)
                ended.append((self.running.pop(process), status))
        self.processes.kill_children(spared={*self.running, *self.own})
        for number, status in ended:
            self.send_event(ended=number, status=_ours("guard").exit_code(status))

    def send_event(self, **event: Any) -> None:
        """Send an event to the doctor. If it has gone, the closed request pipe ends this
        process.
        """
        self.processes.quietly(os.write, self.events, json.dumps(event).encode() + b"\n")

    def _leave(self, host: int) -> None:
        """Give up, in a forked child, what makes a process the host."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for end in (self.requests, self.events, self.wake, self.wakes):
            self.processes.quietly(os.close, end)
        self.processes.die_with(host)


def forks_lose_cuda() -> bool:
    """Whether an import has touched CUDA in this process, so that a fork cannot use a GPU.

    A fork is asked: torch also refuses CUDA there if its GPUs were only counted, which does not
    count as initialised. Where all GPUs are hidden nothing is lost.
    """
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or os.environ.get("CUDA_VISIBLE_DEVICES") == "":
        return False
    process = os.fork()
    if not process:
        bad_fork = True
        with contextlib.suppress(BaseException):
            bad_fork = cuda._is_in_bad_fork()
        os._exit(int(bad_fork))
    return os.waitpid(process, 0)[1] != 0


def _ours(module: str) -> Any:
    return importlib.import_module(f"{PACKAGE}.{module}")


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
