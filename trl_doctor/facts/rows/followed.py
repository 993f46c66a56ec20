"""The rows after what a script does to them: each step in turn, its functions read, and not run."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.column_changes import changed
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.alike import are_alike
from trl_doctor.facts.rows.mapped import Made
from trl_doctor.facts.rows.row_steps import First, Step
from trl_doctor.facts.rows.templates import Templates
from trl_doctor.facts.script.column_steps import ColumnStep
from trl_doctor.files.source.applied import Applied, applied

MOST = 64
"""Rows that are made."""

COSTS = 60_000
"""Steps of reading that all rows of a run may take."""

ROUNDS = 4
"""Times that a function is read again, because it makes more of what a template rendered."""

Row = dict[str, Json]


def rows_made(facts: Facts, found: Made, rows: Iterable[Row]) -> list[Row]:
    """The first rows as the trainer gets them; raises `Unavailable` where one is not known."""
    made = list(itertools.islice(rows, MOST))
    reading = _Reading(facts, found)
    for step in found.steps:
        if isinstance(step, ColumnStep):
            made = [changed(row, [step]) for row in made]
        elif isinstance(step, First):
            made = made[: step.number]
        elif not are_alike(made):
            raise Unavailable("the library may change the cells of its rows to one type")
        elif step.batched:
            made = _after_batch(step, made, reading)
        else:
            made = _after(step, made, reading.results(step, made))
    return made


class _Reading:
    """Reads the functions of a script, as long as that does not take too many steps."""

    def __init__(self, facts: Facts, found: Made) -> None:
        self._facts, self._found, self._left = facts, found, COSTS

    def results(self, step: Step, rows: Sequence[Mapping[str, Json]]) -> list[Applied]:
        """What the function of a step gives for each row."""
        templates = Templates(self._facts, step.span)
        for _ in range(ROUNDS):
            results = [self._result(step, row, templates) for row in rows]
            if not templates.render():
                return results
        raise Unavailable(f"what {step.function.name} makes of a row is not known")

    def _result(self, step: Step, row: Mapping[str, Json], templates: Templates) -> Applied:
        pieces = self._found.pieces
        result = applied(step.function, row, pieces, step.more, templates.value)
        self._left -= result.steps
        if self._left < 0:
            raise Unavailable(f"{step.function.name} is long")
        return result


def _after(step: Step, rows: Sequence[Row], results: Sequence[Applied]) -> list[Row]:
    """The rows after a step; what the function changes in a row itself stays."""
    if step.filters:
        return [row for row, given in zip(rows, results, strict=True) if given.result]
    if all(given.result is None for given in results):
        return list(rows)
    removed = {key for row in rows for key in row} if step.alone else step.removes
    return [_with_result(step, given, removed) for given in results]


def _with_result(step: Step, given: Applied, removed: Iterable[str]) -> Row:
    """A row, or the columns of a batch, after a function has given a dictionary."""
    if not isinstance(given.result, dict):
        raise Unavailable(f"{step.function.name} returns no dictionary")
    before = {key: cell for key, cell in given.row.items() if key not in removed}
    after = given.result.items()
    return before | {k: v for k, v in after if not (given.same and k in removed)}


def _after_batch(step: Step, rows: Sequence[Row], reading: _Reading) -> list[Row]:
    """The rows after a function of columns.

    A batch of the library has other rows than those here: half of them have to give the same.
    """
    half = rows[: len(rows) // 2]
    whole, first = (reading.results(step, [_columns(part)])[0] for part in (rows, half))
    if step.filters:
        keeps = whole.result if isinstance(whole.result, list) else []
        if len(keeps) != len(rows) or first.result != keeps[: len(half)]:
            raise Unavailable(f"what {step.function.name} makes of a batch is not known")
        return [row for row, keep in zip(rows, keeps, strict=True) if keep]
    if whole.result is None and first.result is None:
        return list(rows)
    removed = {key for row in rows for key in row} if step.alone else step.removes
    made, made_first = (_rows(step, _with_result(step, r, removed)) for r in (whole, first))
    if made_first != made[: len(made_first)]:
        raise Unavailable(f"what {step.function.name} makes of a batch is not known")
    return made


def _columns(rows: Sequence[Row]) -> Row:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _rows(step: Step, columns: Row) -> list[Row]:
    """The rows of columns that are equally long; the library refuses others."""
    lists = {name: cells for name, cells in columns.items() if isinstance(cells, list)}
    if len(lists) < len(columns) or len({len(cells) for cells in lists.values()}) != 1:
        raise Unavailable(f"{step.function.name} returns no columns of one length")
    return [dict(zip(lists, cells, strict=True)) for cells in zip(*lists.values(), strict=True)]
