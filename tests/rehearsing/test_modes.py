"""Lines that ask a model in training mode, and those that do it on purpose."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.record import Mistake
from trl_doctor.probes.rehearsal.trainers import configs, modes
from trl_doctor.probes.rehearsal.trainers.modes import InTraining

FIRST, SECOND = ("train.py", 30), ("train.py", 40)


class Ids(list[list[int]]):
    """A tensor of tokens."""

    ndim = 2

    def tolist(self) -> list[list[int]]:
        return self


class Told(list[Any]):
    """A record of mistakes."""

    trainer = 0

    def mistake(self, found: Mistake) -> None:
        self.append((found.at, *found.words))


def told(monkeypatch: pytest.MonkeyPatch, *asked: tuple[Any, list[list[int]]],
         differs: bool = True, training: bool = True, at_work: int = 0,
         on_purpose: bool = False) -> list[Any]:  # fmt: skip
    """What is told at the end of a script whose lines generate from these prompts."""
    at_end: list[Any] = []
    monkeypatch.setattr(modes.atexit, "register", at_end.append)
    monkeypatch.setattr(modes, "_on_purpose", lambda: on_purpose)
    monkeypatch.setattr(modes, "dropout_of", lambda model: {"lora_dropout": 0.1})
    monkeypatch.setattr(InTraining, "_differs", lambda *given: differs)
    record: Any = Told()
    record.trainer = at_work
    model = SimpleNamespace(training=training, config=SimpleNamespace())
    watch = InTraining(record)
    for at, rows in asked:
        monkeypatch.setattr(modes, "here", lambda at=at: at)
        watch.generates(model, Ids(rows), {})
    for call in at_end:
        call()
    return list(record)


def test_a_line_that_generates_in_training_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, (FIRST, [[1, 2]]), (SECOND, [[1, 2]]), (FIRST, [[1, 2]]))
    assert found == [(FIRST, "generates", "lora_dropout 0.1")]


@pytest.mark.parametrize(
    "how", ({"differs": False}, {"training": False}, {"at_work": 1}, {"on_purpose": True})
)
def test_a_line_that_is_left_alone(monkeypatch: pytest.MonkeyPatch, how: dict[str, Any]) -> None:
    assert not told(monkeypatch, (FIRST, [[1, 2]]), **how)


def test_answers_that_are_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not told(monkeypatch, (FIRST, [[1, 2]] * 2), (FIRST, [[1, 2]]))
    assert told(monkeypatch, (FIRST, [[1, 2]] * 3), (FIRST, [[3]]))


def ends(evaluates: bool = True, at_end: bool = False, **own: Any) -> bool:
    args = {modes.EVALUATES: evaluates, configs.OWN: own}
    return modes._ends_in_evaluation(SimpleNamespace(**args), at_end=at_end)


def test_the_mode_that_the_whole_run_ends_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modes, "own_files", list)  # the tests of this process are none of a script
    assert ends(eval_strategy="epoch")
    assert ends(eval_strategy="steps", eval_steps=10)  # how many steps there are is not known
    assert ends(eval_strategy="steps", max_steps=100, eval_steps=10)
    assert not ends(eval_strategy="steps", max_steps=105, eval_steps=10)
    assert ends(eval_strategy="steps", max_steps=105, eval_steps=10, at_end=True)
    assert not ends(eval_on_start=True, eval_strategy="no")
    assert not ends(evaluates=False)


@pytest.mark.parametrize("code", ("EarlyStoppingCallback(2)", "control.should_evaluate = True"))
def test_callbacks_that_may_end_the_run(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(modes, "own_files", lambda: ["train.py"])
    monkeypatch.setattr(modes, "nodes_of", lambda file: list(ast.walk(ast.parse(code))))
    monkeypatch.setattr(modes, "attributes_of", lambda files: {code.partition(".")[2][:15]})
    assert ends(eval_strategy="steps", max_steps=105, eval_steps=10)


@pytest.mark.parametrize(
    ("code", "sets"),
    [
        ("trainer.train()\nmodel.train()\nmodel(ids)", True),
        ("model.train(True)\nmodel.generate(ids)", True),
        ("model.train()\ntrainer.train()\nmodel(ids)", False),
        ("trainer.train()\nmodel.train(False)\nmodel(ids)", False),
        ("trainer.train()\nmodel(ids)", False),
    ],
)
def test_a_script_that_turns_the_mode_on(code: str, sets: bool) -> None:
    assert modes._sets_training(list(ast.walk(ast.parse(code)))) is sets


@pytest.mark.parametrize(
    "text", ("mc_dropout(model)", "# Monte Carlo", "uncertainty = std", "# keep dropout on",
             "enable_dropout(model)", "def activate_the_dropout():")
)  # fmt: skip
def test_words_of_a_script_that_wants_it(text: str) -> None:
    assert modes.ON_PURPOSE.search(text)


@pytest.mark.parametrize(
    "text", ("lora_dropout=0.1", "# stochastic gradient descent", "dropout=config.dropout")
)
def test_words_that_say_nothing(text: str) -> None:
    assert not modes.ON_PURPOSE.search(text)
