"""How many rows the job has in what a script puts together of data sets that were cut."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows import origins, put_together
from trl_doctor.probes.rehearsal.rows.all_rows import AllRows
from trl_doctor.probes.rehearsal.rows.origins import Step

SHUFFLE = Step("shuffle(seed=1)")
FIRST = Step("select(range(0, 90))", rows=range(90))


class Rows(list[Any]):
    """A data set."""


@pytest.fixture
def all_rows() -> AllRows:
    return AllRows()


def loaded(all_rows: AllRows, name: str, rows: int, *steps: Step) -> Rows:
    """The first two of so many rows of a file."""
    first = Rows(range(2))
    origins.loaded(first, name, (), {"split": "train"})
    all_rows.are_in(range(rows), first)
    all_rows.loaded(first)
    then(first, *steps)
    return first


def then(rows: Rows, *steps: Step) -> Rows:
    origin = origins.known(rows)
    assert origin is not None
    origins.note(rows, origin._replace(steps=(*origin.steps, *steps)))
    return rows


def joined(parts: list[Rows], **more: Any) -> Rows:
    return put_together._joined(lambda parts, **more: Rows(itertools.chain(*parts)), parts, **more)


def by_turns(parts: list[Rows], *args: Any, **more: Any) -> Rows:
    return put_together._by_turns(lambda parts, *args, **more: Rows(parts), parts, *args, **more)


def test_what_is_put_together_has_the_rows_of_all_parts(all_rows: AllRows) -> None:
    one, other = loaded(all_rows, "a.jsonl", 100), loaded(all_rows, "b.jsonl", 30, SHUFFLE)
    assert all_rows.count(joined([one, other])) == 130
    assert all_rows.count(joined([one, one])) == 200
    assert all_rows.count(then(joined([one, other]), SHUFFLE)) == 130
    assert all_rows.count(then(joined([one, other]), SHUFFLE, FIRST)) == 90
    assert all_rows.count(joined([joined([one, other]), one])) == 230


def test_nobody_knows_what_a_part_has(all_rows: AllRows) -> None:
    one = loaded(all_rows, "a.jsonl", 100)
    made, filtered = Rows(range(2)), loaded(all_rows, "b.jsonl", 30, Step("", 7))
    assert all_rows.count(joined([one, made])) is None
    assert all_rows.count(joined([one, filtered])) is None
    assert all_rows.count(then(joined([one, one]), Step("", 8))) is None
    assert all_rows.count(joined([one, one], axis=1)) is None


@pytest.mark.parametrize(
    ("more", "count"),
    [
        ({}, 60),
        ({"stopping_strategy": "first_exhausted"}, 60),
        ({"stopping_strategy": "all_exhausted"}, 200),
        ({"stopping_strategy": "all_exhausted_without_replacement"}, 130),
        ({"probabilities": [0.5, 0.5]}, None),
    ],
)
def test_rows_by_turns(more: dict[str, Any], count: int | None, all_rows: AllRows) -> None:
    parts = [loaded(all_rows, "a.jsonl", 100), loaded(all_rows, "b.jsonl", 30)]
    assert all_rows.count(by_turns(parts, **more)) == count
    assert all_rows.count(by_turns(parts, [0.5, 0.5])) is None


def test_a_function_of_one_row_leaves_all_rows(all_rows: AllRows) -> None:
    one = loaded(all_rows, "a.jsonl", 100)
    for change, batched, rows in ((None, False, 100), (dict, True, 100), (None, True, None)):
        result = Rows(one)
        origins.mapped(result, one, change, batched=batched)
        assert all_rows.count(result) == rows
