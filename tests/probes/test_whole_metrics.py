"""Metrics of a script that compare predictions with what it has kept of all rows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.trainers.mistakes import whole_metrics
from trl_doctor.probes.rehearsal.trainers.mistakes.whole_metrics import completed

GOLD = [0, 1] * 10


class Prediction:
    def __init__(self, predictions: Any, label_ids: Any) -> None:
        self.predictions, self.label_ids = predictions, label_ids


@pytest.fixture(autouse=True)
def lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists in place of arrays."""
    repeated = lambda rows, count: (rows * count)[:count]  # noqa: E731
    monkeypatch.setattr(whole_metrics, "_rows", repeated)


def accuracy(given: Any) -> dict[str, float]:
    right = [given.predictions[at] == gold for at, gold in enumerate(GOLD)]
    return {"accuracy": sum(right) / len(GOLD)}


def trainer(metrics: Any, rows: Any) -> Any:
    made = SimpleNamespace(compute_metrics=metrics)
    completed(made, rows)
    return made


def test_few_rows_stand_for_all() -> None:
    made = trainer(accuracy, GOLD)
    assert made.compute_metrics(Prediction([0, 1], [0, 1])) == {"accuracy": 1.0}
    assert made.compute_metrics.__name__ == "accuracy"


def test_an_error_of_all_rows_is_that_of_the_few() -> None:
    def broken(given: Any) -> dict[str, float]:
        raise ValueError(len(given.predictions))

    with pytest.raises(ValueError, match=r"^2$"):
        trainer(broken, GOLD).compute_metrics(Prediction([0, 1], [0, 1]))


class Counts:
    def __call__(self, given: Any) -> dict[str, float]:
        return {"n": float(len(given.predictions))}


def test_a_class_keeps_its_name() -> None:
    assert trainer(Counts(), GOLD).compute_metrics.__name__ == "Counts"


@pytest.mark.parametrize("rows", [None, {"a": GOLD, "b": GOLD}, iter(GOLD)])
def test_rows_whose_number_is_not_known(rows: Any) -> None:
    assert trainer(accuracy, rows).compute_metrics is accuracy


def test_a_trainer_without_metrics() -> None:
    assert trainer(None, GOLD).compute_metrics is None
