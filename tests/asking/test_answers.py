"""What probes answer is typed: a field with another name or type is found without a real run."""

from __future__ import annotations

import dataclasses
import importlib
import json
import typing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from asking.questions import HERE, asked
from trl_doctor_rules._recorded.runs import FOLDER

from trl_doctor import probes
from trl_doctor.asking.oracle import ExampleOracle
from trl_doctor.core.question import Question, converted
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.probes.answers.libraries import LibrariesAnswer
from trl_doctor.probes.answers.step import StepAnswer
from trl_doctor.testing import answered

PROBES = [
    file.stem
    for file in sorted(Path(next(iter(probes.__path__))).glob("*.py"))
    if "\ndef answer(request" in file.read_text()
]
RECORDED = [
    (run.stem, probe)
    for run in sorted(FOLDER.glob("*.json"))
    for probe in json.loads(run.read_text())
]


def answer_of(probe: str) -> Any:
    """The type that a probe says it answers with."""
    module = importlib.import_module(f"trl_doctor.probes.{probe}")
    return typing.get_type_hints(module.answer)["return"]


def test_every_probe_is_looked_at() -> None:
    assert {"step", "load", "engine", "rewards", "libraries"} <= set(PROBES)


@pytest.mark.parametrize("probe", PROBES)
def test_a_probe_answers_with_a_frozen_dataclass_that_json_can_hold(probe: str) -> None:
    into = answer_of(probe)
    assert dataclasses.is_dataclass(into) and into.__dataclass_params__.frozen
    assert into.__module__.startswith("trl_doctor.probes.answers.")
    with pytest.raises(ValueError, match="missing required field"):
        converted({}, into)


@pytest.mark.parametrize(("run", "probe"), RECORDED)
def test_a_recorded_answer_has_all_fields_and_no_others(run: str, probe: str) -> None:
    value = json.loads((FOLDER / f"{run}.json").read_text())[probe]
    text = msgspec.json.encode(converted(value, answer_of(probe)))
    assert json.loads(text) == value


def test_an_answer_of_another_type_is_one_sentence() -> None:
    question = Question(str(HERE / "healthy.py"), "importing", {"n": 1}, LibrariesAnswer)
    (answer,) = asked(question)
    why = "importing: this version does not understand what it answered: .* field `failed`"
    assert answer.state == "not understood"
    with pytest.raises(Unavailable, match=why):
        answer.measured()


def test_an_example_with_the_answer_of_another_probe_is_refused() -> None:
    oracle = ExampleOracle({"step": answered("step", LibrariesAnswer({}))})
    with pytest.raises(TypeError, match="step answers StepAnswer, not LibrariesAnswer"):
        oracle.ask(Question("step", "one training step", {}, StepAnswer))
