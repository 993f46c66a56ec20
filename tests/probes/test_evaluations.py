"""Evaluations whose loss is nan, or whose rows were all dropped."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal import patching
from trl_doctor.probes.rehearsal.trainers import evaluations


class Labels(list[int]):
    def __ne__(self, other: object) -> Any:
        different = [label != other for label in self]
        return SimpleNamespace(any=lambda: any(different))


@pytest.fixture
def mistakes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[str, ...]]]:
    """What is reported while a rehearsal runs."""
    monkeypatch.setattr(patching, "_running", True)
    return []


def trainer_of(mistakes: list[Any], metrics: dict[str, float], rows: list[Any] | None) -> Any:
    """A trainer that returns these metrics, whose calls of `evaluate` are watched."""

    class Trainer:
        eval_dataset = rows

        def evaluate(self, eval_dataset: Any = None) -> dict[str, float]:
            return metrics

        def get_eval_dataloader(self, rows: Any) -> list[Any]:
            return [{"labels": [Labels([-100, -100]), Labels([-100, 5])]}]

    module = ModuleType("transformers.trainer")
    vars(module)["Trainer"] = Trainer
    record: Any = SimpleNamespace(mistake=lambda found: mistakes.append((found.what, found.words)))
    evaluations.watch(module, record)
    return Trainer()


def test_nan_is_reported_once_with_the_rows(mistakes: list[Any]) -> None:
    trainer = trainer_of(mistakes, {"eval_loss": float("nan"), "epoch": 1.0}, [1, 2])
    trainer.evaluate()
    trainer.evaluate()
    words = ("eval_loss", ": 1 of the first 2 rows have no token to learn")
    assert mistakes == [("evaluation is nan", words)]


def test_rows_that_were_all_dropped(mistakes: list[Any]) -> None:
    trainer_of(mistakes, {"epoch": 1.0}, []).evaluate()
    assert mistakes == [("evaluation of no rows", ("Trainer",))]


@pytest.mark.parametrize("rows", [None, [1]])
def test_an_evaluation_with_a_loss(rows: list[Any] | None, mistakes: list[Any]) -> None:
    trainer_of(mistakes, {"eval_loss": 2.5}, rows).evaluate(None if rows else [1])
    assert mistakes == []
