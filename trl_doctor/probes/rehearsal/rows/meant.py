"""Signs that a script gives questions the answers of other records on purpose."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ...contradictions import question_and_answer
from ...reading import texts
from .letters import letters
from .records import VALUES, Cell, Records, columns
from .sources import Row

COMPARED = 256
"""Rows that are compared."""

LISTED = 32
"""Elements of a list that may be ids: an embedding has more."""

SHARE = 0.9
"""The share of the rows that must agree in what joins them."""

DRAWN = 0.8
"""Questions for each pair up to which they are drawn: a wrong join takes each of them once."""

MORE = 1.0
"""Words that a question shares with its row's answer beyond those with the data's, on average."""

LETTERS = 4
"""Letters of a word that is compared, at least."""


class Wrong(NamedTuple):
    """A question, the answer that a row has, and the one that the question's record has."""

    question: Cell
    answer: Cell
    own: Cell


def of_one_record(tables: list[list[Row]], rows: Iterable[Row]) -> bool:
    """Whether a record with a list has both sides of nearly each row.

    All its answers fit all its questions, as somebody has put them together.
    """
    first = [question_and_answer(row) for row in itertools.islice(iter(rows), COMPARED)]
    pairs = [[letters(text) for text in pair] for pair in first if all(pair)]
    for table in tables:
        places = defaultdict[str, set[int]](set)
        for number, record in enumerate(table):
            listed = any(isinstance(cell, (list, tuple)) for cell in record.values())
            for text in texts(record) if listed else ():
                places[letters(text)].add(number)
        together = sum(bool(places[one] & places[other]) for one, other in pairs)
        if pairs and together >= SHARE * len(pairs):
            return True
    return False


def is_meant(records: Records, wrong: list[Wrong]) -> bool:
    """Whether the rows show by what they were joined, although it is no id of both."""
    first = wrong[0]
    table, other = first.question.table, first.answer.table
    alike = [pair for pair in wrong
             if (pair.question.table, pair.answer.table) == (table, other)]  # fmt: skip
    if len(alike) < SHARE * len(wrong):
        return False
    return (
        _by_a_column(records, alike)
        or _fits_better(records, alike)
        or (_is_next(records, alike) if table == other else _drawn(records, alike))
        or (table != other and _by_rank(records, alike))
    )


def _by_a_column(records: Records, wrong: list[Wrong]) -> bool:
    """Whether a column of the question's record has what one of the answer's record has.

    `parent` and `id`, or `concept` of both; not a word that most records have.
    """
    common: dict[tuple[str, str], list[str]] = {}
    for pair in wrong:
        asked, told = (
            {name: {*_values(value)} for name, value in _record(records, cell).items()}
            for cell in (pair.question, pair.answer)
        )
        for name, other in itertools.product(asked, told):
            if same := asked[name] & told[other]:
                common.setdefault((name, other), []).append(min(same))
    return any(
        len(values) >= SHARE * len(wrong) and len({*values}) >= min(VALUES, len(wrong))
        for values in common.values()
    )


def _values(cell: Any) -> Iterator[str]:
    """What a cell has, of a list its elements; numbers are written alike."""
    for value in cell[:LISTED] if isinstance(cell, (list, tuple)) else (cell,):
        text = str(value).strip()
        number = re.fullmatch(r"(\d+)\.0", text)
        if text and text not in ("nan", "None"):
            yield number[1] if number else text


def _fits_better(records: Records, wrong: list[Wrong]) -> bool:
    """Whether questions share more words with the answers of the rows than with the data's."""
    more = [
        len(asked & _words(records, pair.answer)) - len(asked & _words(records, pair.own))
        for pair in wrong
        for asked in [_words(records, pair.question)]
    ]
    return sum(more) >= MORE * len(more) and sum(one > 0 for one in more) >= SHARE * len(more)


def _words(records: Records, cell: Cell) -> set[str]:
    return set(re.findall(rf"\w{{{LETTERS},}}", records.text(cell).lower()))


def _is_next(records: Records, wrong: list[Wrong]) -> bool:
    """Whether each row goes on in the next record: what a user says after the bot's answer."""
    steps = sum(pair.answer.record - pair.question.record == 1 for pair in wrong)
    names = columns(records.tables[wrong[0].question.table])
    backwards = all(
        names.index(pair.answer.column) < names.index(pair.question.column) for pair in wrong
    )
    return backwards and steps >= SHARE * len(wrong)


def _drawn(records: Records, wrong: list[Wrong]) -> bool:
    """Whether some questions are taken several times, with answers of one table that fit any."""
    pairs = {(pair.question, pair.answer) for pair in wrong}
    asked, told = wrong[0].question.table, wrong[0].answer.table
    few = len({pair.question for pair in wrong}) <= DRAWN * len(pairs)
    return few and len(records.tables[told]) <= len(records.tables[asked]) / DRAWN


def _by_rank(records: Records, wrong: list[Wrong]) -> bool:
    """Whether both tables, which have no ids, were sorted by a column of each: by their times."""
    if records.known_by(wrong[0].question, wrong[0].answer.table):
        return False
    sides = [[pair.question for pair in wrong], [pair.answer for pair in wrong]]
    asked, told = ([*_places(records, cells)] for cells in sides)
    return any(one == other for one, other in itertools.product(asked, told))


def _places(records: Records, cells: list[Cell]) -> Iterator[list[int]]:
    """The places of records sorted by each column that has them in another order than the file."""
    in_file = _order([cell.record for cell in cells])
    rows = [_record(records, cell) for cell in cells]
    for name in columns(records.tables[cells[0].table]):
        values = [row.get(name) for row in rows]
        kinds = {type(value) for value in values}
        if len(kinds) != 1 or not kinds <= {int, float, str} or len({*values}) < len(values):
            continue
        places = _order(values)
        if places != in_file:
            yield places


def _order(values: list[Any]) -> list[int]:
    places = {value: at for at, value in enumerate(sorted(values))}
    return [places[value] for value in values]


def _record(records: Records, cell: Cell) -> dict[str, Any]:
    """A cell's record, without the text itself."""
    record = records.tables[cell.table][cell.record]
    return {str(name): value for name, value in record.items() if str(name) != cell.column}
