"""The steps of a rehearsal train on short rows: long ones keep their ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from trl_doctor.probes.rehearsal.trainers.short_rows import LONGEST, last_tokens, shorten

Row = dict[str, Any]


class Table:
    """As much of a data set as is needed."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self.column_names = list(rows[0])

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, at: int) -> Row:
        return self.rows[at]

    def select(self, places: list[int]) -> Table:
        return Table([self.rows[at] for at in places])

    def map(self, function: Callable[[Row], Row]) -> Table:
        return Table([{**row, **function(row)} for row in self.rows])


def trainer(rows: Any, evaluated: Any = None) -> Any:
    return SimpleNamespace(
        train_dataset=rows, eval_dataset=evaluated,
        args=SimpleNamespace(per_device_train_batch_size=2),
    )  # fmt: skip


def test_long_rows_keep_their_last_tokens_and_labels() -> None:
    ids = list(range(LONGEST + 10))
    row = {"input_ids": ids, "labels": [-100, *ids[1:]], "text": "t" * 2 * LONGEST}
    assert last_tokens(row) == {"input_ids": ids[10:], "labels": ids[10:]}


def test_a_row_in_several_parts_keeps_half_as_much_of_each() -> None:
    row = {"prompt_ids": [1] * LONGEST, "chosen_ids": [2] * 9, "rejected_ids": [3] * 9}
    assert last_tokens(row) == {"prompt_ids": [1] * (LONGEST // 2)}


def test_rows_that_are_short_or_no_tokens_stay_as_they_are() -> None:
    messages = [{"role": "user", "content": "x" * 9000}] * 2000
    for row in ({"input_ids": [1] * LONGEST}, {"messages": messages}, {"input_ids": []}):
        assert last_tokens(row) == {}


def test_the_shortest_rows_come_first_and_an_evaluation_is_short_too() -> None:
    rows = Table([{"input_ids": [1] * count} for count in range(1, 3 * LONGEST, 100)])
    held = trainer(rows, {"some": Table([{"input_ids": [1] * 2 * LONGEST}])})
    shorten(held)
    assert [len(row["input_ids"]) for row in held.train_dataset] == list(range(1, 800, 100))
    assert [len(row["input_ids"]) for row in held.eval_dataset["some"]] == [LONGEST]


def test_what_is_no_table_is_left_alone() -> None:
    stream = iter([{"input_ids": [1] * 2 * LONGEST}])
    held = trainer(stream)
    shorten(held)
    assert held.train_dataset is stream
