"""A folder in which one mutated target after the other is examined, and what must hold of each."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import xml.etree.ElementTree as xml
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any
from unittest import mock

import click
from msgspec import structs

from fuzzing.mutations import mutations
from fuzzing.oddities import NAMES
from fuzzing.originals import BESIDE, HUB_MODEL, INSIDE, MODEL, TARGETS, WORLDS, Files, seeds
from trl_doctor.checkup import ignoring
from trl_doctor.checkup.checkup import NOBODY
from trl_doctor.checkup.discover import NoSuchRule, discover
from trl_doctor.checkup.opening import Options
from trl_doctor.checkup.report import Report
from trl_doctor.checkup.request import Request
from trl_doctor.checkup.session import Session, session
from trl_doctor.commands.examining import Examined, examined
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.rule import Rule
from trl_doctor.files import document
from trl_doctor.machine.environment import BadInterpreter, environment
from trl_doctor.machine.settings import BadSettings
from trl_doctor.reports.formats import FORMATS, renderer
from trl_doctor.reports.style import Style

PATIENCE = 30.0
"""Seconds of the processor that one target may take; the limit on templates is below that."""

ASLEEP = 300.0
"""Seconds of the clock: one that opens a named pipe waits for ever and uses no processor."""

LONGEST = {"text": 200_000, "concise": 200_000, "json": 20_000_000}
OTHERS = tuple(form for form in FORMATS if form not in ("text", "json", "json-v1"))
REFUSED = (BadSettings, BadInterpreter, NoSuchRule, Unavailable, click.UsageError)
"""What the command says in one line, and ends with status 2."""


class Instead(Enum):
    """What may stand where a file should."""

    FOLDER, LOOP, DANGLING, PIPE, SOCKET, ZERO, ERRING, SHUT, HUGE = range(9)

    def __repr__(self) -> str:
        return str(self)


Content = bytes | None | Instead


@dataclass
class Case:
    """A target, the files that are not as they should be (None: gone), and the world.

    `form` is a format of reports beside text and JSON. After so many files have been read as
    `later` has, these take their places.
    """

    pointed: str
    files: dict[str, Content]
    world: int = 0
    form: str = ""
    later: dict[int, dict[str, Content]] = field(default_factory=dict)


def case(chance: random.Random, seeds: Files) -> Case:
    """A target with one to three files mutated: files of its own."""
    pointed = chance.choice(TARGETS)
    mine = _own(pointed, seeds)
    files: dict[str, Content] = {}
    for extra in (MODEL + "model.safetensors.index.json", MODEL + "chat_template.jinja"):
        if chance.random() < 0.7:
            files[extra] = None
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        name = chance.choice(mine)
        files[name] = _mutated(chance, name, files.get(name) or seeds[name])
    if chance.random() < 0.05:
        data = seeds[chance.choice(mine)]
        files[INSIDE.get(pointed, "") + chance.choice(NAMES)] = chance.choice(
            (b"", b"{}", data, Instead.FOLDER, Instead.PIPE, Instead.DANGLING)
        )
    later = {}
    if chance.random() < 0.05:
        name = chance.choice(mine)
        later = {chance.randrange(1, 25): {name: _mutated(chance, name, seeds[name])}}
    form = chance.choice(OTHERS) if chance.random() < 0.25 else ""
    return Case(pointed, files, chance.randrange(len(WORLDS)), form, later)


def _mutated(chance: random.Random, name: str, data: Content) -> Content:
    if chance.random() < 0.02:
        return None
    if chance.random() < 0.03 or not isinstance(data, bytes):
        return chance.choice(list(Instead))
    return chance.choice(mutations(name))(chance, data)


def _own(pointed: str, seeds: Files) -> list[str]:
    """The names of files that matter to a target, those that matter most the most often."""
    if pointed in INSIDE:
        return [name for name in seeds if name.startswith(INSIDE[pointed])]
    models = [name for name in seeds if name.startswith("models/")]
    return [*models, *[pointed] * 20, *[*BESIDE.get(pointed, ())] * 10]


class Hung(BaseException):
    """A target took longer than `PATIENCE` or `ASLEEP`; no `except Exception` may swallow that."""


@dataclass(frozen=True)
class Failure:
    """What went wrong: `key` is the same for the same defect."""

    key: str
    detail: str
    case: Case = field(compare=False)


class Ground:
    """A folder that holds the files, in which one case after the other is examined."""

    def __init__(self, folder: Path, rules: tuple[Rule, ...] | None = None) -> None:
        self.folder, self.known = folder, seeds()
        self.rules = discover().rules if rules is None else rules
        self.by_name = {rule.name: rule for rule in (*self.rules, *ignoring.OWN)}
        self.sessions = [
            Session(
                self.rules, environment(None, world, installed=False), NOBODY,
                Options(offline=True), "error", (),
            )
            for world in WORLDS
        ]  # fmt: skip
        self.originals = frozenset(self.known.values())
        self.parsed: dict[tuple[Path, bytes], document.Document] = {}
        for name, data in self.known.items():
            self._put(name, data)

    @staticmethod
    def request() -> Request:
        """Options that are not on the command line."""
        blank = dict.fromkeys(Request.__struct_fields__)
        return Request(**{**blank, **GIVEN})  # type: ignore[arg-type]

    def _put(self, name: str, content: Content) -> None:
        self.put(self.folder / name, content)

    @staticmethod
    def put(file: Path, content: Content) -> None:
        """Replace the value by this one."""
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            file.unlink(missing_ok=True)
        if isinstance(content, bytes):
            file.write_bytes(content)
        elif content is not None:
            stand_in(file, content)

    def failure(self, case: Case, diff: bool = False) -> Failure | None:
        """Examine one case; what must hold and does not."""
        try:
            for name, data in case.files.items():
                self._put(name, data)
            with patience(), self._known_once(), self._changing(case):
                outcome = self._judged(case, diff)
        except Hung:
            outcome = "hung", f"longer than {PATIENCE} s of the processor or {ASLEEP} s"
        except Exception as error:
            outcome = _where(error)
        finally:
            for name in (*case.files, *(name for put in case.later.values() for name in put)):
                self._put(name, self.known.get(name))
        return Failure(*outcome, case) if outcome else None

    @contextmanager
    def _known_once(self) -> Iterator[None]:
        """The files that were not mutated are parsed once for all cases: that takes most time."""
        real = document.parse

        def parse(path: Path, data: bytes) -> document.Document:
            if (path, data) not in self.parsed:
                real_run = real(path, data)
                if data not in self.originals:
                    return real_run
                self.parsed[path, data] = real_run
            return self.parsed[path, data]

        with mock.patch.object(document, "parse", parse):
            yield

    @contextmanager
    def _changing(self, case: Case) -> Iterator[None]:
        """Files change on the disk after so many have been read."""
        if not case.later:
            yield
            return
        real, left = document._read_regular, dict(case.later)
        seen = 0

        def read(path: Path) -> bytes:
            nonlocal seen
            seen += 1
            for name, content in left.pop(seen, {}).items():
                self._put(name, content)
            return real(path)

        with mock.patch.object(document, "_read_regular", read):
            yield

    def _judged(self, case: Case, diff: bool) -> tuple[str, str] | None:
        before = self._stamps()
        entries = self._examined(case, diff)
        if not case.later and self._stamps() != before:
            return "a folder was written to", str(case.pointed)
        problems = [problem for entry in entries for problem in entry.problems]
        for problem in problems:
            if "the doctor itself failed" in problem:
                return problem.partition("the doctor itself failed")[2].rpartition("(")[2], problem
        for entry in entries:
            for check in entry.report.checks_in("crashed"):
                return f"{check.rule} crashed", check.reason
        reports = tuple(entry.report for entry in entries)
        report = Report(reports, 1, tuple(problems), rules=self.by_name)
        for form in ("text", "json", *([case.form] if case.form else [])):
            if flaw := flawed(form, renderer(form, Style())(report)):
                return f"{flaw[0]} ({form})", flaw[1]
        return None

    def _examined(self, case: Case, diff: bool) -> list[Examined]:
        request = structs.replace(self.request(), diff=diff, unsafe_fixes=diff)
        bench, given = self.sessions[case.world], str(self.folder / case.pointed)
        if case.pointed == HUB_MODEL:
            with mock.patch.dict(os.environ, self._cache()):
                return examined(request, bench, HUB_MODEL)
        if case.pointed.startswith("settings/"):
            here = Path.cwd()
            os.chdir((self.folder / case.pointed).parent)
            try:
                return examined(request, session(request, self.rules), given)
            except REFUSED:
                return []
            finally:
                os.chdir(here)
        return examined(request, bench, given)

    def _cache(self) -> dict[str, str]:
        own = str(self.folder / "cache")
        return {"HF_HUB_CACHE": str(self.folder / "hub"), "XDG_CACHE_HOME": own}

    def _stamps(self) -> list[int]:
        """When entries of the folders last came or went."""
        folders = (self.folder, self.folder / "settings", self.folder / MODEL)
        return [folder.stat().st_mtime_ns for folder in folders]

    def small(self, failure: Failure, tries: int = 300) -> Failure:
        """The same failure with as little mutated as can be found quickly."""
        import time

        best, until = failure, time.process_time() + 20
        for candidate in _smaller(failure.case, self.known):
            if tries <= 0 or time.process_time() > until:
                break
            tries -= 1
            again = self.failure(candidate, diff=True)
            if again and again.key == best.key:
                return self.small(again, tries)
        return best


GIVEN: dict[str, Any] = {
    "targets": (), "stated": (), "offline": True, "level": "files", "trust_remote_code": False,
    "select": (), "ignore": (), "require": (), "fail_on": "error", "output": (),
    "color": "never", "fsdp": False, "every_node": False,
}  # fmt: skip


def stand_in(file: Path, kind: Instead) -> None:
    """Put what is no readable file where one should be."""
    if kind is Instead.FOLDER:
        file.mkdir()
    elif kind is Instead.LOOP:
        file.symlink_to(file.name)
    elif kind is Instead.DANGLING:
        file.symlink_to("nowhere/at\nall")
    elif kind is Instead.PIPE:
        os.mkfifo(file)
    elif kind is Instead.SOCKET:
        with socket.socket(socket.AF_UNIX) as server, suppress(OSError):  # its name is too long
            server.bind(str(file))
    elif kind is Instead.ZERO:
        file.symlink_to("/dev/zero")
    elif kind is Instead.ERRING:
        file.symlink_to("/proc/self/mem")  # a regular file whose first byte is an EIO
    elif kind is Instead.SHUT:
        file.write_bytes(b"{}")
        file.chmod(0)
    else:
        with file.open("wb") as sparse:
            sparse.truncate(document.SIZE_LIMIT + 1)


def flawed(form: str, text: str) -> tuple[str, str] | None:
    """What is wrong with a report: a control character, its length, its syntax."""
    if len(text) > LONGEST.get(form, 2_000_000):
        return "too long", f"{len(text):,} characters"
    if not text.replace("\n", "").isprintable():
        wrong = next(char for char in text if not char.isprintable() and char != "\n")
        return "control character", repr(wrong)
    try:
        if form in ("json", "sarif", "gitlab"):
            json.loads(text.encode())
        elif form == "junit":
            xml.fromstring(text.encode())
    except (ValueError, xml.ParseError) as error:
        return "cannot be read", str(error)
    return None


def _where(error: Exception) -> tuple[str, str]:
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}:{last.lineno}"
    return f"{type(error).__name__} at {place}", "".join(traceback.format_exception(error))[-2500:]


def _smaller(case: Case, seeds: Files) -> Iterator[Case]:
    if case.later:
        yield replace(case, later={})
    for name, data in case.files.items():
        others = {key: value for key, value in case.files.items() if key != name}
        yield replace(case, files=others)
        if not isinstance(data, bytes):
            continue
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            continue
        for keys in _removable(value):
            less = json.loads(data)
            holder = less
            for key in keys[:-1]:
                holder = holder[key]
            del holder[keys[-1]]
            yield replace(case, files={**others, name: json.dumps(less).encode()})


def _removable(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list) and len(before) < 4:
        inner = list(value.items() if isinstance(value, dict) else enumerate(value))[:40]
    for key, _ in inner:
        yield (*before, key)
    for key, child in inner:
        yield from _removable(child, (*before, key))


@contextmanager
def patience() -> Iterator[None]:
    """Raise `Hung` after `PATIENCE` of the processor's time, or `ASLEEP` of the clock's."""

    def late(*_: object) -> None:
        raise Hung

    timers = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
    before = {number: signal.signal(number, late) for number in timers}
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    signal.setitimer(signal.ITIMER_REAL, ASLEEP)
    try:
        yield
    finally:
        for number, timer in timers.items():
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])
