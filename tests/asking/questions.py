"""Asks real probes in this interpreter, and sees that nothing of them is left."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.asking.limits import ProbeLimits
from trl_doctor.asking.probes import Probes
from trl_doctor.core.question import Answer, Pending, Question

LINUX = sys.platform == "linux"
HERE = Path(__file__).parent
PYTHON = Path(sys.executable)
MARK = "TRL_DOCTOR_TEST"

Nothing = Callable[[], None]


def sign(folder: Path, name: str = "sign") -> Path:
    """A file of a test that a probe may write: in shared memory, where probes are confined."""
    shared = Path("/dev/shm")
    if not shared.is_dir():
        return folder / name
    return shared / f"trl-doctor-{os.getpid()}-{folder.name}-{name}"


def hostile(do: str, **request: Any) -> Question[Any]:
    """The question that makes a probe do this."""
    return Question(str(HERE / "hostile.py"), do, {"do": do, **request}, dict)


def healthy(n: int = 0, imports: tuple[str, ...] = ()) -> Question[Any]:
    """A question that is answered."""
    return Question(str(HERE / "healthy.py"), "healthy", {"n": n}, dict, imports)


def ask(probes: Probes, *questions: Question[Any]) -> list[Answer[Any]]:
    """The answers, as a checkup gets them."""
    for question in questions:
        with suppress(Pending):
            probes.ask(question)
    probes.finish()
    return [probes.ask(question) for question in questions]


def asked(
    *questions: Question[Any], limits: ProbeLimits | None = None, at_once: int = 2
) -> list[Answer[Any]]:
    """The answers of probes of their own."""
    with Probes(PYTHON, limits=limits or ProbeLimits(), at_once=at_once) as probes:
        return ask(probes, *questions)


def fate(do: str, limits: ProbeLimits | None = None) -> Answer[Any]:
    """What becomes of a probe that does this; a healthy one beside it must be answered."""
    answer, beside, after = asked(hostile(do), healthy(1), healthy(2), limits=limits)
    assert beside.state == after.state == "answered"
    return answer


def nothing_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nothing]:
    """Gives a check, and makes it at the end: no process, no file, no descriptor is left."""
    temporary = folder / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv(MARK, str(folder))
    before = _descriptors()

    def check() -> None:
        deadline = time.monotonic() + 600
        while (marked(folder) or list(temporary.iterdir())) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert marked(folder) == []
        assert list(temporary.iterdir()) == []

    yield check
    check()
    for name in ("sign", "daemon", "daemon.part"):
        sign(folder, name).unlink(missing_ok=True)
    # what another test left to the garbage collector may go meanwhile
    assert set(_descriptors()) <= set(before)


def marked(folder: Path) -> list[int]:
    """The processes that were started from a test, by the mark in their environment (Linux)."""
    entries = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"{MARK}={folder}\0".encode() in entry.read_bytes():
                entries.append(int(entry.parent.name))
    return entries


def _descriptors() -> list[str]:
    return sorted(os.listdir("/dev/fd"))  # noqa: PTH208
