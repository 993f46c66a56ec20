"""Several targets in one command: their probes start before the first is waited for."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from trl_doctor.asking.oracle import Conditions
from trl_doctor.checkup.opening import Options
from trl_doctor.checkup.request import Request
from trl_doctor.checkup.session import Session
from trl_doctor.commands.cli import main
from trl_doctor.commands.left_out import without_parts
from trl_doctor.commands.many import examined_all
from trl_doctor.core.question import Answer, Pending, Question, T
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Rule
from trl_doctor.machine.environment import environment

ROOT = Path(__file__).parents[2]


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


ACCELERATE = "distributed_type: DEEPSPEED\ncompute_environment: LOCAL_MACHINE\nnum_processes: 8\n"
DEEPSPEED = '{"zero_optimization": {"stage": 3}}'


def test_files_of_launchers_among_runs_are_left_out(tmp_path: Path) -> None:
    files = {"run.yaml": "learning_rate: 1.0e-5\n", "accelerate.yaml": ACCELERATE,
             "ds.json": DEEPSPEED, "notes.yaml": "- distributed_type\n",
             "broken.json": '{"zero_optimization": '}  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    paths = {name: str(tmp_path / name) for name in files}
    kept, sentences = without_parts([*paths.values(), "org/model"])
    out = [paths["accelerate.yaml"], paths["ds.json"]]
    assert kept == [*(path for path in paths.values() if path not in out), "org/model"]
    assert [sentence.partition(" is left out: ")[0] for sentence in sentences] == out
    assert "an accelerate file is read with the job or the run file" in sentences[0]
    assert without_parts(out) == (out, [])
    assert without_parts(out[:1]) == (out[:1], [])


def test_a_pattern_that_matches_such_a_file_passes(tmp_path: Path) -> None:
    run = {"model_name_or_path": str(ROOT / "fixtures/models/healthy"), "learning_rate": 1e-5,
           "output_dir": "out"}  # fmt: skip
    (tmp_path / "run.json").write_text(json.dumps(run))
    (tmp_path / "zero3.json").write_text(DEEPSPEED)
    result = CliRunner().invoke(
        main,
        ["check", f"{tmp_path}/*.json", "--trainer", "sft", "--level", "files", "-o", "concise"],
    )
    assert result.exit_code == 0, result.output
    assert "zero3.json is left out: a DeepSpeed file is read with" in result.stderr
    assert result.stdout.startswith("1 passed; ")
