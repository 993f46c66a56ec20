"""What a reward reads of the results of a classifier."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.models import classified
from trl_doctor.probes.rehearsal.models.classified import Classified, Result


class Record:
    """Keeps what is told; a trainer is at work."""

    trainer = 1

    def __init__(self) -> None:
        self.told: list[str] = []

    def add(self, kind: str, **about: Any) -> None:
        self.told.append(about["what"])


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Classified:
    monkeypatch.setattr(classified, "called_by_user", lambda: ("train.py", 7))
    return Classified(Record())  # type: ignore[arg-type]


def results(watch: Classified) -> list[Result]:
    return [Result({"label": "GOOD", "score": 0.9}, watch) for _ in range(8)]


def test_scores_alone(watch: Classified) -> None:
    assert sum(result["score"] for result in results(watch)) > 7
    assert watch.record.told == ["score without label"]  # type: ignore[attr-defined]


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
    ],
)
def test_labels_that_are_read(reads: Any, watch: Classified) -> None:
    for result in results(watch):
        reads(result)
    assert watch.record.told == []  # type: ignore[attr-defined]


def test_a_result_is_a_dict(watch: Classified) -> None:
    result = results(watch)[0]
    assert result == {"label": "GOOD", "score": 0.9} and len(result) == 2 and "score" in result
    assert type(pickle.loads(pickle.dumps(result))) is type(copy.deepcopy(result)) is dict
    assert json.loads(json.dumps(result)) == result
