"""What a script's metrics say of predictions that are all right."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.trainers.mistakes import metrics


class SFTTrainer:
    """A trainer whose metrics get how many places the predictions are moved."""

    def __init__(self, compute: Callable[[int], Any]) -> None:
        self.compute_metrics = compute
        self.eval_dataset = [{"input_ids": [1, 2]}]
        self.args = SimpleNamespace()


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (lambda places: {"accuracy": 1.0 if places else 0.2}, []),
        (lambda places: {"accuracy": 0.0 if places else 1.0}, [["accuracy", "0"]]),
        (lambda places: {"token_acc": 0.45}, [["token_acc", "0.45"]]),
        (lambda places: {"f1": 60.0}, [["f1", "60"]]),
        (lambda places: {"rare_accuracy": 0.0}, []),
        (lambda places: {"macro_f1": 0.3, "f1_macro": 0.3}, []),
        (lambda places: {"loss": 0.3}, []),
        (lambda places: [0.3], []),
    ],
)
def test_only_low_accuracies_of_these_rows_are_told(
    values: Callable[[int], Any], expected: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "_predicted", lambda trainer, rows, places: places)
    found = [mistake.words for mistake in metrics.of_metrics(SFTTrainer(values))]
    assert found == expected
