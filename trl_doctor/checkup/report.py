"""A report as plain data, for every format and for other processes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from urllib.parse import quote

from msgspec import Struct, field

from trl_doctor.checkup.first_row import FirstRow
from trl_doctor.checkup.levels import NOT_USED
from trl_doctor.checkup.measurement import Measurement
from trl_doctor.checkup.stage_shown import ModelShown, StageShown
from trl_doctor.checkup.subjects import Subject
from trl_doctor.checkup.verdict import Verdict
from trl_doctor.core.finding import SEVERITIES, Cell, Json, Severity
from trl_doctor.facts.rule import Rule

OWN = ("trl_doctor_rules.", "trl_doctor.")
"""The beginnings of the modules whose rules have a page in the documentation."""


class ShownPlace(Struct, frozen=True):
    """A place in a file. `file` is relative to the working folder where it is below it.

    `line` and `column` count from 1 and are None if only the file is known; `text` is the line, in
    a notebook that of the `cell`. A `foreign` file cannot be shown by the host of the repository.
    """

    file: str
    pointer: str = ""
    line: int | None = None
    column: int | None = None
    text: str = ""
    foreign: bool = False
    cell: Cell | None = None

    @property
    def within(self) -> tuple[int, int] | None:
        """Line and column as people count them: in a notebook those in the cell."""
        at = self.cell or self
        return (at.line, at.column) if at.line and at.column else None

    @property
    def shown(self) -> str:
        """`file:line:column`, `file:cell 3:line:column`, or the file where only that is known."""
        cell = f":cell {self.cell.number}" if self.cell else ""
        return ":".join([f"{self.file}{cell}", *map(str, self.within or ())])


class Change(Struct, frozen=True):
    """Lines `first` up to `last` (both from 1, `last` excluded) of a file become `text`."""

    file: str
    first: int
    last: int
    text: str
    foreign: bool = False


class FixShown(Struct, frozen=True):
    """A fix: its verb phrase, its edits as JSON, and the lines of text that it changes."""

    message: str
    safe: bool
    edits: tuple[Mapping[str, Json], ...]
    changes: tuple[Change, ...] = ()


class Proof(Struct, frozen=True):
    """A finding that follows from another one and is shown with it."""

    rule: str
    message: str
    evidence: tuple[str, ...]


class Entry(Struct, frozen=True):
    """A finding. `anchor` is where a host of the repository can show it.

    `cause` names the rule that found its cause. `remedy` is this finding's own, or that of the
    rule's page (then `own_remedy` is false). The fingerprint is of the rule, the file and the key.
    `stages` are the numbers, from 1, of the trainers of a script that it is about.
    """

    rule: str
    title: str
    severity: Severity
    message: str
    at: ShownPlace
    anchor: ShownPlace
    evidence: tuple[str, ...]
    why: str
    remedy: str
    own_remedy: bool
    fix: FixShown | None
    cause: str | None
    proofs: tuple[Proof, ...]
    fingerprint: str
    stages: tuple[int, ...] = ()


class Check(Struct, frozen=True):
    """The outcome of a rule: its state, the reason, its findings."""

    rule: str
    state: str
    reason: str
    entries: tuple[Entry, ...]
    ignored: tuple[tuple[str, str], ...] = ()  # messages of ignored findings, with the reasons


class ProbeRun(Struct, frozen=True):
    """A question to the real libraries, with the time and memory that it took."""

    probe: str
    label: str
    state: str
    reason: str
    seconds: float
    memory: int | None
    repeat: str
    measured: Mapping[str, Json] | None


class Level(Struct, frozen=True):
    """How far the checkup went; `because` says why not further, `device_why` why on the CPU."""

    name: str
    device: str | None = None
    because: str | None = None
    device_why: str = ""


class TargetReport(Struct, frozen=True):
    """The report on one target. What was not opened has only a verdict.

    `notes` say how the run was read, and what is not known; `stages` are the trainers of a script
    that has several, `next_step` is what would examine more, if anything. A script is
    `read_in_part` if not all of its arguments are known.
    """

    given: str
    taken_for: str
    verdict: Verdict
    trainer: str | None = None
    trainer_from: str = ""
    notes: tuple[str, ...] = ()
    python: str = ""
    libraries: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, ModelShown] = field(default_factory=dict)
    level: Level = Level("files")
    subjects: tuple[Subject, ...] = ()
    checks: tuple[Check, ...] = ()
    probe_runs: tuple[ProbeRun, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    first_rows: tuple[FirstRow, ...] = ()
    stages: tuple[StageShown, ...] = ()
    next_step: str = ""
    read_in_part: bool = False

    @property
    def entries(self) -> list[Entry]:
        """All findings, worst first."""
        every = [entry for check in self.checks for entry in check.entries]
        return sorted(every, key=lambda entry: SEVERITIES.index(entry.severity))

    @property
    def roots(self) -> list[Entry]:
        """The findings that follow from no other finding, worst first."""
        return [entry for entry in self.entries if entry.cause is None]

    def counts(self) -> dict[Severity, int]:
        """The number of these findings by severity."""
        severities = [entry.severity for entry in self.roots]
        return {severity: severities.count(severity) for severity in SEVERITIES}

    def checks_in(self, state: str) -> list[Check]:
        """The checks in a state."""
        return [check for check in self.checks if check.state == state]

    def skipped(self) -> list[Check]:
        """The checks that could not run, for a reason of their own."""
        return [check for check in self.checks_in("skipped") if check.reason != self.level.because]

    def deeper(self) -> list[Check]:
        """The checks that need the real libraries where these were not used."""
        return [check for check in self.checks_in("skipped") if check.reason == self.level.because]

    def deeper_in_words(self) -> str:
        """How many checks need the real libraries, and what would use them; "" for none."""
        number = len(self.deeper())
        need = "check needs" if number == 1 else "checks need"
        return f"{number} {need} {self.needed()}" if number else ""

    def needed(self) -> str:
        """What those checks need, and what would use it."""
        return f"the real libraries: {(self.level.because or '').removeprefix(NOT_USED)}"


class Report(Struct, frozen=True):
    """One run of the command: its targets, its exit status, and what went wrong around them.

    `rules` are those that were asked, by name. `pages` is the address of the documentation, "" if
    it is not known. `problems` are sentences. `root` is the repository, or the working folder where
    that is in none; `below` is the working folder as seen from it, "" where they are the same.
    """

    targets: tuple[TargetReport, ...]
    exit_code: int
    problems: tuple[str, ...] = ()
    root: str = ""
    below: str = ""
    rules: Mapping[str, Rule] = field(default_factory=dict)
    pages: str = ""

    def page(self, name: str) -> str:
        """The address of a rule's page; "" if it is not known, as for rules of other packages."""
        rule = self.rules.get(name) if self.pages else None
        if rule is None or not rule.home.startswith(OWN):
            return ""
        return f"{self.pages.rstrip('/')}/rules/{quote(name)}/"

    def in_repository(self, file: str) -> str:
        """A file's path as a code host names it: from the top of the repository."""
        joined = PurePosixPath(file) if file.startswith("/") else PurePosixPath(self.below, file)
        return str(joined)

    @property
    def entries(self) -> list[tuple[TargetReport, Entry]]:
        """The root findings of all targets, worst first."""
        every = [(target, entry) for target in self.targets for entry in target.roots]
        return sorted(every, key=lambda pair: SEVERITIES.index(pair[1].severity))

    def words(self) -> dict[str, int]:
        """How many targets passed, failed and stayed incomplete."""
        words = [target.verdict.word for target in self.targets]
        return {word: words.count(word) for word in ("passed", "failed", "incomplete")}
