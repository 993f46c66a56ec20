"""A rule: a page, a severity, a check and the examples that hold it to its word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from trl_doctor.core.finding import Finding, Json, Severity
from trl_doctor.machine.surroundings import Surroundings

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from trl_doctor.core.question import Level
    from trl_doctor.facts import Facts

Files: TypeAlias = Mapping[str, "str | bytes | Json"]
"""File contents by relative path: text and bytes as they are, anything else written as JSON."""

Answers: TypeAlias = "Mapping[str, DataclassInstance]"
"""What probes answered, by the probe's name: what it measured, else an `Answer`."""

Examples: TypeAlias = "tuple[Good | Bad, ...]"

Check: TypeAlias = "Callable[[Facts], Iterable[Finding]]"


@dataclass(frozen=True)
class Good:
    """A target about which the rule says nothing.

    `target` is the path to check among `files`. `versions` are the versions installed where
    the run will happen. `skipped` says that the rule must be skipped here, not clear, with
    this text in the reason. `answers` are what the probes answered in a real run at `level`, by
    the probe's name: what it measured, or an `Answer` where it did not get that far. `gpu` is what
    the user says with `--gpu`. `machine` is what is found on the machine, where a rule asks for it.
    """

    files: Files
    target: str = "run.json"
    versions: Mapping[str, str] = field(default_factory=dict)
    skipped: str = ""
    answers: Answers = field(default_factory=dict)
    level: Level = "tiny"
    gpu: str = ""
    machine: Surroundings | None = None


@dataclass(frozen=True)
class Bad:
    """A target in which the rule finds something.

    `says` must occur in a message of the rule. `fixed` are the files that `--fix` (and
    `--unsafe-fixes` where the fix is unsafe) changes, as they are afterwards; with it the
    fixed target must be clear. `answers` are those of the probes, as for `Good`; `fixed_answers`
    are those for the fixed target, where there are `answers`. `gpu` and `machine` are as for
    `Good`.
    """

    files: Files
    target: str = "run.json"
    versions: Mapping[str, str] = field(default_factory=dict)
    says: str = ""
    severity: Severity | None = None
    fixed: Files | None = None
    answers: Answers = field(default_factory=dict)
    fixed_answers: Answers = field(default_factory=dict)
    level: Level = "tiny"
    gpu: str = ""
    machine: Surroundings | None = None


@dataclass(frozen=True)
class Rule:
    """One thing that can be wrong. Its name is the name of its file.

    `doc` is the module's docstring, the rule's page (see `trl_doctor.core.page`). `explains` is a
    regular expression, searched for in the errors that other findings tell of: where it matches,
    what this rule found is their cause.
    """

    doc: str
    severity: Severity
    check: Check
    examples: Examples
    name: str = ""
    explains: str = ""
