"""What remains after a probe has gone wrong: each fault is made, and what is left is counted.

Before its fault the probe makes files, a segment of shared memory, sockets, a child and a daemon.
`python tests/left_behind.py` prints the table of SECURITY.md; a test holds the page to it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from asking.questions import HERE, MARK, PYTHON, ask, healthy, hostile, marked, sign

from trl_doctor.asking import probes as under_test
from trl_doctor.asking.limits import ProbeLimits
from trl_doctor.asking.probes import Probes
from trl_doctor.core.question import Question

MIB = 1024**2
LIMITS = ProbeLimits(seconds=20, memory=300 * MIB, disk=4 * MIB)
HEAD = ("a probe that", "processes", "files", "shared memory", "sockets")


@dataclass(frozen=True)
class Left:
    """How many are left of each kind."""

    processes: int
    files: int
    shared: int
    sockets: int

    def row(self, fault: str) -> str:
        """A row of the table."""
        counts = (self.processes, self.files, self.shared, self.sockets)
        return f"| {fault} | {' | '.join(str(count or 'none') for count in counts)} |"


def _does(then: str) -> Callable[[Path, str], None]:
    return lambda folder, mark: _asked(_littering(folder, mark, then))


def _littering(folder: Path, mark: str, then: str) -> Question:
    return hostile("litter", then=then, mark=mark, file=str(sign(folder)))


def _asked(question: Question) -> None:
    with Probes(PYTHON, limits=LIMITS) as probes, mock.patch.object(under_test, "PATIENCE", 0.5):
        answer, beside = ask(probes, question, healthy())
    assert answer.state != "answered" or question.request["then"] == "surroundings", answer
    assert beside.state == "answered" or question.request["then"] == "stop the host", beside


def _guard_killed(folder: Path, mark: str) -> None:
    with Probes(PYTHON, limits=LIMITS) as probes:
        assert ask(probes, healthy())[0].state == "answered"
        assert probes._host
        guard = probes._host.process.pid

        def kill() -> None:
            _await(sign(folder))
            os.kill(guard, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        assert ask(probes, _littering(folder, mark, "hang"))[0].state == "died"
        killer.join()


def _doctor_killed(number: int) -> Callable[[Path, str], None]:
    def killed(folder: Path, mark: str) -> None:
        signed = sign(folder)
        variables = {**os.environ, "TMPDIR": str(tempfile.gettempdir())}
        command = [sys.executable, str(HERE / "doctor.py"), str(signed), "--mark", mark]
        doctor = subprocess.Popen(command, env=variables)
        _await(signed)
        doctor.send_signal(number)
        assert doctor.wait() == -number

    return killed


def _await(file: Path) -> None:
    while not file.exists():
        time.sleep(0.02)


FAULTS: dict[str, Callable[[Path, str], None]] = {
    "answers": _does("surroundings"),
    "raises an exception": _does("raise"),
    "crashes (a segmentation fault)": _does("segfault"),
    "is killed (SIGKILL)": _does("die by SIGKILL"),
    "hangs until its time is over": _does("hang"),
    "takes more memory than it may": _does("take memory"),
    "fills the disk": _does("fill the disk"),
    "kills the process that runs the probes": _does("kill the host"),
    "stops the process that runs the probes": _does("stop the host"),
    "hangs while that process's guard is killed": _guard_killed,
    "hangs while the doctor is killed (SIGKILL)": _doctor_killed(signal.SIGKILL),
    "hangs while the doctor is terminated (SIGTERM)": _doctor_killed(signal.SIGTERM),
}


def left_by(fault: str, folder: Path) -> Left:
    """Make a fault and count what it leaves, once all that ends by itself has ended."""
    temporary = folder / "tmp"
    temporary.mkdir()
    mark = f"trl-doctor-left-{os.getpid()}-{folder.name}"
    with mock.patch.dict(os.environ, {MARK: str(folder)}), \
            mock.patch.object(tempfile, "tempdir", str(temporary)):  # fmt: skip
        FAULTS[fault](folder, mark)

    def sockets() -> int:
        lines = Path("/proc/net/unix").read_text().splitlines()
        return sum(mark in line or str(temporary) in line for line in lines)

    until = time.monotonic() + 600
    # a process that ends loses its environment, by which it is found, before it closes its sockets
    while (marked(folder) or list(temporary.iterdir()) or sockets()) and time.monotonic() < until:
        time.sleep(0.05)
    shared = Path("/dev/shm", mark)
    result = Left(
        len(marked(folder)),
        sum(1 for _ in temporary.rglob("*")),
        int(shared.exists()),
        sockets(),
    )
    for file in (shared, sign(folder)):
        file.unlink(missing_ok=True)
    for process in marked(folder):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return result


def main() -> None:
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    for fault in FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            print(left_by(fault, Path(folder)).row(fault), flush=True)


if __name__ == "__main__":
    main()
