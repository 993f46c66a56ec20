"""Data loaders of the script's own: which of them give the rows in one order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.trainers.configs import OWN
from trl_doctor.probes.rehearsal.trainers.mistakes import row_order
from trl_doctor.probes.rehearsal.trainers.mistakes.row_order import (
    LINE,
    ON_PURPOSE,
    ROWS,
    SORTED,
    of_order,
    sorting_column,
)


class SequentialSampler:
    """As torch has it."""


class RandomSampler:
    """As the trainer's own data loader has it."""


class Trainer:
    """As transformers has it."""

    def __init__(self, given: dict[str, Any], rows: int | None, batch: int = 2) -> None:
        args = {"per_device_train_batch_size": 2, "num_train_epochs": 3}
        self.args = SimpleNamespace(**{**args, "num_train_epochs": given.get("epochs", 3)})
        vars(self.args)[OWN] = given
        vars(self)[ROWS] = rows
        sampler = SequentialSampler()
        setattr(sampler, LINE, ("train.py", 9))
        batches = SimpleNamespace(sampler=sampler, batch_size=batch)
        self.callback_handler = SimpleNamespace(
            train_dataloader=SimpleNamespace(batch_sampler=batches)
        )

    def _get_train_sampler(self) -> Any:
        return RandomSampler()

    def compute_loss(self) -> float:
        return 0.0


Trainer.__module__ = Trainer._get_train_sampler.__module__ = "transformers.trainer"


@pytest.fixture(autouse=True)
def no_own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_order, "own_files", list)
    monkeypatch.setattr(row_order, "says", lambda pattern: False)


def passes(*given: Any, **more: Any) -> list[str]:
    return [word for found in of_order(Trainer(*given, **more)) for word in found.words]


def test_each_epoch_is_a_pass() -> None:
    assert passes({}, 16) == passes({}, None) == ["3"]
    assert passes({"epochs": 1}, 16) == []


def test_steps_are_passes_where_the_rows_are_known() -> None:
    steps = {"max_steps": 20, "per_device_train_batch_size": 4}
    assert passes(steps, 16) == ["5"]
    assert passes(steps, 60) == passes(steps, None) == []
    assert passes(steps, 16, batch=8) == ["10"]  # as the script's data loader says


class Table(list[dict[str, Any]]):
    """A data set in memory."""

    @property
    def column_names(self) -> list[str]:
        return [*self[0]]

    @property
    def features(self) -> dict[str, Any]:
        kinds = {str: "string", int: "int64", bool: "bool"}
        return {name: SimpleNamespace(dtype=kinds[type(self[0][name])]) for name in self[0]}

    def __getitem__(self, key: Any) -> Any:
        return [row[key] for row in self] if isinstance(key, str) else super().__getitem__(key)


def test_rows_that_are_sorted_by_a_column_need_one_pass() -> None:
    trainer = Trainer({"epochs": 1}, 16)
    vars(trainer)[SORTED] = "label"
    assert [found.words for found in of_order(trainer)] == [["label"]]


def test_a_column_that_rows_are_sorted_by() -> None:
    texts = [{"text": str(number)} for number in range(16)]
    for name, label, found in (
        ("label", lambda number: number // 8, "label"),
        ("kind", lambda number: "ab"[number > 4], "kind"),
        ("label", lambda number: number % 2, ""),
        ("label", lambda number: 1, ""),
        ("label", lambda number: number // 3, ""),
        ("stage", lambda number: number // 8, ""),
        ("episode", lambda number: number // 8, ""),
        ("day", lambda number: number // 8, ""),
    ):
        rows = Table({**row, name: label(number)} for number, row in enumerate(texts))
        assert sorting_column(rows) == found
        assert sorting_column(Table(rows[:8])) == sorting_column(iter(rows)) == ""


def test_a_column_that_says_that_the_order_is_on_purpose() -> None:
    rows = Table({"kind": at // 8, "bucket": at // 8} for at in range(16))
    assert sorting_column(rows) == ""


def test_rows_that_are_others_each_time() -> None:
    class Drawn(list[int]):
        def __getitem__(self, key: Any) -> Any:
            self.append(key)
            return len(self)

    trainer = Trainer({}, 16)
    trainer.callback_handler.train_dataloader.dataset = Drawn(range(16))
    assert not [*of_order(trainer)]
    trainer.callback_handler.train_dataloader.dataset = [*range(16)]
    assert [*of_order(trainer)]


def test_a_loss_of_the_script_may_compare_rows_that_stand_together() -> None:
    class Own(Trainer):
        def compute_loss(self) -> float:
            return 1.0

    assert not [*of_order(Own({}, 16))]


def test_a_step_of_all_rows_has_no_order() -> None:
    assert passes({"per_device_train_batch_size": 16}, 16) == []
    assert passes({"gradient_accumulation_steps": 2}, 16) == []
    trainer = Trainer({}, 16, batch=4)
    trainer.callback_handler.train_dataloader.dataset = [*range(4)]
    assert not [*of_order(trainer)]


def test_a_trainer_that_does_not_shuffle_either_and_an_order_that_was_asked_for() -> None:
    trainer = Trainer({}, 16)
    vars(trainer)["args"].shuffle_dataset = True
    assert not [*of_order(trainer)]
    trainer = Trainer({}, 16)
    delattr(trainer.callback_handler.train_dataloader.batch_sampler.sampler, LINE)
    assert not [*of_order(trainer)]


@pytest.mark.parametrize("code", (
    "rows = rows.shuffle(seed=1)", "random.shuffle(rows)", "rows.sort('length')",
    "frame = frame.sample(frac=1)", "# the rows are in the order of their dates",
    "sorted(rows, key=len)", "class Curriculum:", "parts = rows.train_test_split(10)",
    "order = torch.randperm(10)", "sampler = WeightedRandomSampler(weights, 10)",
    "# from short texts to long ones", "# hard rows come last", "# debug: overfit a few rows",
    "# the same batches as in the baseline", "# one language a batch", "# a recurrent model",
    "# the state is carried over to the next rows",
))  # fmt: skip
def test_a_script_that_shuffles_or_speaks_of_an_order(code: str) -> None:
    assert ON_PURPOSE.search(code)


@pytest.mark.parametrize("code", (
    "DataLoader(rows, shuffle=False)", "# in order to learn more", "random.seed(1)",
    "torch.manual_seed(1)", "nn.Sequential(layer)", "loader = DataLoader(self.train_dataset)",
))  # fmt: skip
def test_a_script_that_does_neither(code: str) -> None:
    assert not ON_PURPOSE.search(code)
