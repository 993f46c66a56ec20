"""Several targets in one command: their probes start before the first is waited for."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.asking.oracle import Conditions
from trl_doctor.checkup.opening import Options
from trl_doctor.checkup.request import Request
from trl_doctor.checkup.session import Session
from trl_doctor.commands.many import examined_all
from trl_doctor.core.question import Answer, Pending, Question, T
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Rule
from trl_doctor.machine.environment import environment


@dataclass
class Patient:
    """An oracle that answers when it is waited for, and notes how many wait then."""

    known: dict[str, Answer[Any]] = field(default_factory=dict)
    waiting: dict[str, Question[Any]] = field(default_factory=dict)
    waited: list[int] = field(default_factory=list)
    conditions: Conditions = field(default_factory=Conditions)

    def ask(self, question: Question[T]) -> Answer[T]:
        if question.key in self.known:
            return self.known[question.key]
        self.waiting[question.key] = question
        raise Pending(question.label)

    def finish(self) -> None:
        self.waited.append(len(self.waiting))
        self.known |= {key: Answer(question, "answered") for key, question in self.waiting.items()}
        self.waiting = {}

    def __enter__(self) -> Patient:
        return self

    def __exit__(self, *why: object) -> None:
        """Nothing runs."""


def asks(facts: Facts) -> tuple[()]:
    facts.probes.ask(Question("step", "a step", {"run": str(facts.run.target.path)}, dict))
    return ()


@pytest.mark.parametrize("count", [1, 3])
def test_probes_of_all_targets_start_before_the_first_answer(tmp_path: Path, count: int) -> None:
    targets = [str(tmp_path / f"{number}.json") for number in range(count)]
    for name in targets:
        Path(name).write_text('{"trainer": "grpo"}')
    oracle = Patient()
    rules = (Rule("A title.", "error", asks, (), "asks"),)
    world = environment(None, installed=False)
    shared = Session(rules, world, oracle, Options(offline=True), "error", ())
    given: dict[str, Any] = dict.fromkeys(Request.__struct_fields__)
    request = Request(**{**given, "targets": tuple(targets), "diff": False, "fix": False})
    entries = list(examined_all(request, shared, targets))
    assert [entry.report.checks[0].state for entry in entries] == ["clear"] * count
    assert oracle.waited[0] == count
    assert sum(oracle.waited) == count
