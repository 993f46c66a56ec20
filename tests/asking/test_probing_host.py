"""What becomes of questions where the interpreter, its imports or the doctor itself fail."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking.questions import (
    HERE,
    LINUX,
    PYTHON,
    Nothing,
    ask,
    asked,
    healthy,
    hostile,
    nothing_left,
    sign,
)  # fmt: skip

from trl_doctor.asking import probes as under_test
from trl_doctor.asking.limits import ProbeLimits
from trl_doctor.asking.probes import Probes
from trl_doctor.asking.progress import Progress

DOCTOR = str(HERE / "doctor.py")
ONLY_LINUX = pytest.mark.skipif(not LINUX, reason="needs Linux's prctl")

BAD_MODULES = {
    "raises": "raise RuntimeError('undefined symbol: cudaGetDriver')",
    "exits": "raise SystemExit(1)",
    "leaves": "import os; print('cannot go on', flush=True); os._exit(4)",
    "segfaults": "import ctypes; ctypes.string_at(0)",
    "hangs": "import time, os; open(os.environ['SIGN'], 'a').write('x'); time.sleep(60)",
    "floods": "import os\nfor _ in range(200): os.write(1, b'x' * 99_999 + b'\\n')",
    "dabbles": "import os, contextlib\nfor end in range(3, 21):\n"
    "  with contextlib.suppress(OSError): os.write(end, b'{}\\n'); os.close(end)",
    "listens": "import socket; socket.create_connection(('192.0.2.1', 80), 1)",
    "starts": "import subprocess; helper = subprocess.Popen(['sleep', '60'])",
}


@pytest.fixture(autouse=True)
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nothing]:
    """After each test no process, no temporary file and no open descriptor is left."""
    yield from nothing_left(tmp_path, monkeypatch)


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the bad modules, on the probes' search path."""
    for name, text in BAD_MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("SIGN", str(sign(tmp_path)))
    return tmp_path


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("text", "state", "reason"),
    [
        (None, "died", "{} cannot be run: No such file or directory"),
        ("", "died", "{} cannot be run: Exec format error"),
        ("#!/nowhere/python\n", "died", "{} cannot be run: No such file or directory"),
        ("#!/bin/sh\n", "died", "{} does not run the probes: it exited with status 0"),
        ("#!/bin/sh\necho no; exit 7", "died", "{} does not run the probes: it exited with "
                                               "status 7: no"),
        ("#!/bin/sh\nkill -11 $$", "died", "{} does not run the probes: it was killed by SIGSEGV"),
        ("#!/bin/sh\nsleep 60", "timed out", "starting {} took more than 1 s (--timeout)"),
    ],
)  # fmt: skip
def test_an_interpreter_that_is_none(
    tmp_path: Path, text: str | None, state: str, reason: str
) -> None:
    python = tmp_path / "python"
    if text is not None:
        script(python, text)
    limits = ProbeLimits(starting=1 if state == "timed out" else 300)
    with Probes(python, limits=limits) as probes:
        answers = ask(probes, healthy(1), healthy(2))
    assert {(answer.state, answer.reason) for answer in answers} == {(state, reason.format(python))}


@pytest.mark.parametrize("module", ["raises", "exits", "floods", "dabbles", "listens", "starts"])
def test_a_bad_import_leaves_the_probes_to_fail_or_not(modules: Path, module: str) -> None:
    first, second = asked(healthy(1, (module, "json:no")), healthy(2, (module, "json:no")))
    assert first.state == second.state == "answered"


@pytest.mark.parametrize(
    ("module", "state", "reason"),
    [
        ("leaves", "died", "importing leaves ends the process: it exited with status 4: cannot go"),
        ("segfaults", "died", "importing segfaults ends the process: it was killed by SIGSEGV"),
        ("hangs", "timed out", "importing hangs took more than 10 s (--timeout)"),
    ],
)
def test_an_import_that_kills_is_reported_and_others_go_on(
    modules: Path, module: str, state: str, reason: str
) -> None:
    with Probes(PYTHON, limits=ProbeLimits(starting=10)) as probes:
        first, other = ask(probes, healthy(1, ("json", module)), healthy(2, ("json",)))
        assert (first.state, first.reason[: len(reason)]) == (state, reason)
        assert other.state == "answered"


def test_an_import_that_hangs_is_not_tried_again(modules: Path) -> None:
    with Probes(PYTHON, limits=ProbeLimits(starting=10)) as probes:
        for number in range(3):
            (answer,) = ask(probes, healthy(number, ("hangs",)))
            assert answer.state == "timed out"
    assert sign(modules).read_text() == "x"


def test_later_rounds_reuse_the_host() -> None:
    with Probes(PYTHON) as probes:
        hosts = {ask(probes, hostile("surroundings", n=n))[0].value["host"] for n in range(3)}
    assert len(hosts) == 1


def test_a_host_that_is_killed_takes_its_probes_and_no_others() -> None:
    with Probes(PYTHON) as probes:
        killer, beside, after = ask(
            probes, hostile("kill the host"), hostile("sleep", seconds=600), healthy()
        )
    for answer in (killer, beside):
        assert answer.state == "died"
        assert answer.reason.startswith("the process that runs the probes is gone: it was killed (")
    assert after.state == "answered"


@ONLY_LINUX
def test_a_host_that_is_killed_leaves_no_daemon(tmp_path: Path, nothing: Nothing) -> None:
    killer = hostile("kill the host beside a daemon", file=str(sign(tmp_path, "daemon")))
    with Probes(PYTHON) as probes:
        assert ask(probes, killer)[0].state == "died"
    nothing()


@ONLY_LINUX
def test_a_guard_that_is_killed_is_replaced(nothing: Nothing) -> None:
    with Probes(PYTHON) as probes:
        assert ask(probes, healthy(1))[0].state == "answered"
        assert probes._host
        os.kill(probes._host.process.pid, signal.SIGKILL)
        select.select([probes._host.events], [], [])
        assert ask(probes, healthy(2))[0].state == "answered"


def test_a_host_that_stands_still_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(under_test, "PATIENCE", 0.5)
    with Probes(PYTHON, limits=ProbeLimits(seconds=8), at_once=1) as probes:
        stopper, next_one, after = ask(probes, hostile("stop the host"), healthy(1), healthy(2))
    assert (stopper.state, stopper.reason) == ("timed out", "it took more than 8 s (--timeout)")
    assert next_one.reason == "the process that runs the probes does not answer"
    assert after.state == "answered"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("imports", [(), ("hangs",)])
def test_nothing_outlives_the_doctor(
    tmp_path: Path, modules: Path, nothing: Nothing, number: int, imports: tuple[str, ...]
) -> None:
    signed = sign(tmp_path)
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    doctor = subprocess.Popen([sys.executable, DOCTOR, signed, *imports], env=environment)
    while not signed.exists():
        time.sleep(0.02)
    doctor.send_signal(number)
    assert doctor.wait() == -number
    nothing()


def test_leaving_early_ends_what_runs(tmp_path: Path) -> None:
    with Probes(PYTHON) as probes, pytest.raises(KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, 1.5)
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        ask(probes, hostile("hang"), healthy())
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


def test_ctrl_c_ends_promptly(tmp_path: Path) -> None:
    signed = sign(tmp_path)
    process, terminal = pty.fork()
    if not process:
        os.environ["TMPDIR"] = str(tmp_path / "tmp")
        os.execv(sys.executable, [sys.executable, DOCTOR, str(signed)])
    while not signed.exists():
        time.sleep(0.02)
    time.sleep(0.5)
    os.write(terminal, b"\x03")
    shown = read_all(terminal)
    _, status = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(status) == 1
    assert "something long" in shown
    assert "Traceback" not in shown
    assert shown.rpartition("\x1b[K")[2].split() == ["Aborted!"]


def read_all(terminal: int) -> str:
    """What was written to a pseudo-terminal until its other end was closed."""
    parts = []
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            part = b""
        if not part:
            os.close(terminal)
            return b"".join(parts).decode()
        parts.append(part)


def test_progress_is_shown_on_a_terminal_and_taken_away() -> None:
    terminal, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as stream, Probes(PYTHON, progress=Progress(stream)) as probes:
        ask(probes, hostile("sleep", seconds=3), healthy())
    shown = read_all(terminal)
    assert "asking: sleep" in shown
    assert shown.endswith("\r\x1b[K")


def test_no_progress_is_shown_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "stream"
    with file.open("w") as stream, Probes(PYTHON, progress=Progress(stream)) as probes:
        ask(probes, hostile("sleep", seconds=0.3))
    assert file.read_text() == ""
