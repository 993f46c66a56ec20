"""Rows whose answer was taken from another record than their question."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from .excerpt import excerpt
from .intent import says
from .letters import letters, text_of
from .meant import Wrong, is_meant
from .records import HEAD, Cell, Parts, Records, beginning, parts
from .sources import MOST

COMPARED, CELLS = 128, 24
"""Rows that are compared with the records, and cells of one row."""

FEWEST, SHARE = 8, 0.5
"""The rows that have another record's answer, at least, and their share."""

COUNT = re.compile(r"(^|_)(idx|index|number|nr|no)$")
"""Names of columns that count something, which need not be the records of another table."""

Judgement = tuple[bool, Wrong | None]
"""Whether a record has both sides of a row; if none has, what shows that they do not belong."""

SHIFTS = 3
"""Numbers of lines by which rejected answers are moved: each line that a file lacks makes one."""

DRAWN = re.compile(
    r"random|sample|choice|permut|negative|mismatch|unrelated|distract|wrong|other|roll|rotat|swap",
    re.IGNORECASE,
)
"""What a script says that rejects answers to other questions on purpose."""

LINES = 16
"""Records of two tables of one length that belong together line by line, at least."""


def joined_wrongly(records: Records, rows: Any, tokenizer: Any) -> list[str] | None:
    """How many rows, of how many; a question, its answer in the row, and the one in the data."""
    try:
        return _joined_wrongly(records, rows, tokenizer)
    except Exception:  # rows of another kind
        return None


def _joined_wrongly(records: Records, rows: Any, tokenizer: Any) -> list[str] | None:
    first = list(itertools.islice(iter(rows), COMPARED))
    judged, wrong = _wrong(_of_answers(records, first, tokenizer))
    if not wrong or is_meant(records, wrong):
        judged, wrong = _wrong(_of_rejected(records, first))
        if not wrong or (says(DRAWN) and not _is_shifted(wrong)):
            return None
    return [str(len(wrong)), str(judged), *(excerpt(records.text(cell)) for cell in wrong[0])]


def _of_answers(records: Records, rows: list[Any], tokenizer: Any) -> Iterator[Judgement]:
    for row in rows:
        if row.get("label") in (False, 0):  # an answer that is not wanted may be any
            continue
        sides = Parts("", text_of(row, tokenizer)) if "input_ids" in row else parts(row)
        yield _judged(records, *sides)


def _of_rejected(records: Records, rows: list[Any]) -> Iterator[Judgement]:
    """The same of rejected answers whose own column has one for each question.

    A script may reject another question's chosen answer on purpose: then both are of one column.
    """
    for row in rows:
        if "chosen" in row and "rejected" in row and "input_ids" not in row:
            good, bad = parts(row), parts({**row, "chosen": row["rejected"]})
            chosen = {(cell.table, cell.column) for cell in records.within(good.answer)}
            cells = records.within(bad.answer)
            if bad.question and all((cell.table, cell.column) not in chosen for cell in cells):
                yield _judged(records, *bad)


def _wrong(judgements: Iterator[Judgement]) -> tuple[int, list[Wrong]]:
    """How many rows are judged, and the mistakes, where these are many."""
    every = [one for one in judgements if one[0] or one[1]]
    wrong = [mistake for _, mistake in every if mistake]
    return len(every), wrong if len(wrong) >= max(FEWEST, SHARE * len(every)) else []


def _is_shifted(wrong: list[Wrong]) -> bool:
    """Whether answers stand a few lines from their own: those drawn for other questions do not."""
    lines = {mistake.answer.record - mistake.own.record for mistake in wrong}
    return len(lines) <= SHIFTS


def _judged(records: Records, question: str, answer: str) -> Judgement:
    """Whether a record has both sides of a row; if none has, what shows that they do not belong."""
    learned = _outermost(records, records.within(answer))
    asked = _outermost(records, records.within(question)) if question else learned
    if not _is_clear(records, answer, learned, whole=not question):
        return False, None
    wrong = None
    for one, other in itertools.product(asked, learned):
        if (one.table, one.column) == (other.table, other.column):
            continue
        if one.table != other.table and records.linked_by_another(one.table, other.table):
            continue
        if _linked(records, one, other):
            return True, None
        wrong = wrong or _against(records, one, other)
    return False, wrong


def _is_clear(records: Records, answer: str, learned: list[Cell], *, whole: bool) -> bool:
    """Whether it is one record's answer: not a word of it, nor the texts of several records."""
    keys = {cell: beginning(records.text(cell)) for cell in learned}
    if whole:
        columns = {(cell.table, cell.column, key) for cell, key in keys.items()}
        return len(columns) == len({column[:2] for column in columns})
    return any(2 * len(key) >= len(beginning(answer)) for key in keys.values())


def _outermost(records: Records, cells: Iterable[Cell]) -> list[Cell]:
    """The cells whose text is not a part of another one's."""
    keys = {cell: letters(records.text(cell)) for cell in itertools.islice(cells, CELLS)}
    return [
        cell
        for cell, key in keys.items()
        if not any(key in whole and len(key) < len(whole) for whole in keys.values())
    ]


def _linked(records: Records, one: Cell, other: Cell) -> bool:
    """Whether two cells are of one record, or of records that belong together."""
    if one.table == other.table and one.record == other.record:
        return True
    mine, theirs = records.known_by(one, other.table), records.known_by(other, one.table)
    if mine & theirs:
        return True
    if one.table == other.table or (mine and theirs and not _counted(records, one, other)):
        return False
    return one.record == other.record or bool(_values(records, one) & _values(records, other))


def _counted(records: Records, one: Cell, other: Cell) -> bool:
    """Whether one table counts its lines, or pages, and the other one has ids."""
    sides = ((one.table, other.table), (other.table, one.table))
    counts = [all(map(COUNT.search, records.keys(*pair))) for pair in sides]
    return counts[0] != counts[1]


def _values(records: Records, cell: Cell) -> set[str]:
    """What a record has, however it is called: an address joins tables, too."""
    values = map(str, records.tables[cell.table][cell.record].values())
    return {value for value in values if len(value) >= HEAD}


def _against(records: Records, question: Cell, answer: Cell) -> Wrong | None:
    """The answer that the record of a question has; None where it has none, or the same."""
    own = _own_answer(records, question, answer)
    text = letters(records.text(own)) if own else ""
    if own is None or not text or text == letters(records.text(answer)):
        return None
    return Wrong(question, answer, own)


def _own_answer(records: Records, question: Cell, answer: Cell) -> Cell | None:
    """Where the answer would be that belongs to a question."""
    if question.table == answer.table:
        return answer._replace(record=question.record)
    keys = records.known_by(question, answer.table)
    if keys and records.known_by(answer, question.table):
        return records.known(keys, answer, question.table)
    lines = {len(records.tables[cell.table]) for cell in (question, answer)}
    if len(lines) == 1 and LINES <= min(lines) < MOST:
        return answer._replace(record=question.record)
    return None
