"""What a reward reads of the results of a classifier."""

from __future__ import annotations

import copy
import json
import pickle
from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.models import classified
from trl_doctor.probes.rehearsal.models.classified import Classified
from trl_doctor.probes.rehearsal.record import Mistake


class Record:
    """Keeps what is told; a trainer is at work."""

    trainer = 1

    def __init__(self) -> None:
        self.told: list[str] = []

    def mistake(self, found: Mistake) -> None:
        self.told.append(found.what)


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Classified:
    monkeypatch.setattr(classified, "called_by_user", lambda: ("train.py", 7))
    return Classified(Record())  # type: ignore[arg-type]


class Pipe:
    """A pipeline whose model has two labels."""

    def __init__(self, **config: Any) -> None:
        self.model = SimpleNamespace(config=SimpleNamespace(**{"num_labels": 2, **config}))


def results(watch: Classified, **given: Any) -> list[Any]:
    """What a script gets for eight texts."""
    pipe = given.pop("pipe", Pipe())
    answers = ({"label": "GOOD", "score": 0.9} for _ in range(8))
    return [watch._result(lambda pipe, one, **more: one, pipe, one, **given) for one in answers]


def told(watch: Classified) -> list[str]:
    """What is told when the next results come."""
    results(watch)
    return watch.record.told  # type: ignore[attr-defined, no-any-return]


def test_scores_alone(watch: Classified) -> None:
    assert sum(result["score"] for result in results(watch)) > 7
    assert told(watch) == ["score without label"]


def test_labels_that_are_read_behind_all_scores(watch: Classified) -> None:
    found = results(watch)
    scores = [result["score"] for result in found]
    assert scores and [result["label"] for result in found]
    best = max(results(watch), key=lambda result: result["score"])  # type: ignore[no-any-return]
    assert best["label"] == "GOOD"
    assert told(watch) == []


@pytest.mark.parametrize(
    "given",
    [
        {"function_to_apply": "sigmoid"},
        {"pipe": Pipe(problem_type="multi_label_classification")},
        {"pipe": Pipe(num_labels=1)},
    ],
)
def test_labels_that_do_not_exclude_each_other(given: Any, watch: Classified) -> None:
    assert sum(result["score"] for result in results(watch, **given)) > 7
    assert told(watch) == []


@pytest.mark.parametrize(
    "reads",
    [
        lambda result: result["score"] if result["label"] == "GOOD" else 0.0,
        lambda result: (result["score"], result.get("label")),
        lambda result: (result["score"], dict(result)),
        lambda result: (result["score"], {**result}),
        lambda result: (result["score"], result == {"label": "GOOD", "score": 0.9}),
        lambda result: (result["score"], list(result.items())),
        lambda result: (result["score"], json.dumps(result)),
        lambda result: (result["score"], str(result)),
        lambda result: (result["score"], copy.deepcopy(result)),
        lambda result: result["label"],
        lambda result: (result.pop("label"), result["score"]),
    ],
)
def test_labels_that_are_read(reads: Any, watch: Classified) -> None:
    for result in results(watch):
        reads(result)
    assert told(watch) == []


def test_a_result_is_a_dict(watch: Classified) -> None:
    result = results(watch)[0]
    assert result == {"label": "GOOD", "score": 0.9} and len(result) == 2 and "score" in result
    assert type(pickle.loads(pickle.dumps(result))) is type(copy.deepcopy(result)) is dict
    assert json.loads(json.dumps(result)) == result
