"""A rule: a page, a severity, a check and the examples that test it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field

from trl_doctor.core.finding import Finding, Json, Severity
from trl_doctor.machine.surroundings import Surroundings

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from trl_doctor.core.question import Level
    from trl_doctor.facts import Facts

Files: TypeAlias = Mapping[str, "str | bytes | Json"]
"""File contents by relative path: text and bytes as they are, anything else written as JSON."""

Answers: TypeAlias = "Mapping[str, DataclassInstance]"
"""Answers of probes by the probe's name: a measured value, or else an `Answer`."""

Examples: TypeAlias = "tuple[Good | Bad, ...]"

MakesExamples: TypeAlias = "Callable[[], tuple[Good | Bad, ...]]"
"""For examples that need what a check does not, such as the classes of answers of probes."""

Check: TypeAlias = "Callable[[Facts], Iterable[Finding]]"


class Good(Struct, frozen=True):
    """A target in which the rule finds nothing.

    `target` is the path to check among `files`. `versions` are the versions installed where
    the run will happen. `skipped` says that the rule must be skipped here, not clear, with
    this text in the reason. `answers` are the answers of probes in a real run at `level`, by the
    probe's name: a measured value, or an `Answer` if the probe did not get that far. `gpu` is the
    value of `--gpu`. `machine` describes the machine, for rules that ask for it.
    """

    files: Files
    target: str = "run.json"
    versions: Mapping[str, str] = field(default_factory=dict)
    skipped: str = ""
    answers: Answers = field(default_factory=dict)
    level: Level = "tiny"
    gpu: str = ""
    machine: Surroundings | None = None


class Bad(Struct, frozen=True):
    """A target in which the rule finds something.

    `says` must occur in a message of the rule. `fixed` are the files that `--fix` (and
    `--unsafe-fixes` if the fix is unsafe) changes, with their contents afterwards; the
    fixed target must then be clear. `answers` are answers of probes, as for `Good`; `fixed_answers`
    are those for the fixed target, if there are `answers`. `gpu` and `machine` are as for
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
    regular expression, searched for in the errors that other findings report: where it matches,
    the finding of this rule is their cause. `name` and `module` are set where it is discovered.
    """

    doc: str
    severity: Severity
    check: Check
    examples: Examples | MakesExamples
    name: str = ""
    explains: str = ""
    module: str = ""

    @property
    def home(self) -> str:
        """The module that it comes from."""
        return self.module or self.check.__module__

    def all_examples(self) -> Examples:
        """The examples, made if `examples` is a function that makes them."""
        return self.examples() if callable(self.examples) else self.examples
