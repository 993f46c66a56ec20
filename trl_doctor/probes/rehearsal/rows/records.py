"""From which records of the data that a script has read the texts of a row were taken."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from ...reading import texts
from ...reward_functions.rows import final
from .letters import letters
from .sources import Row

HEAD = 12
"""Letters and digits of a text that is found again inside another one, at least."""

LONGEST = 1000
"""Characters of a text by which it is known."""

COMMON = 0.2
"""The share of a table's records up to which a text tells them apart."""

TALKS = ("messages", "conversations", "chosen", "completion")
ANSWERS = ("completion", "chosen", "answer", "response", "output", "solution", "ground_truth")
QUESTIONS = ("prompt", "question", "instruction")
KEY = re.compile(r"(^|_)(id|ids|idx|index|key|uuid|uid|qid|hash|number|nr|no)$|^id_|[a-z]Id$")
"""Names of columns that say which records belong together."""

KINDS = 0.5
"""Different answers for each record, where a short one is looked for."""

SHARED, VALUES = 0.5, 8
"""The share of a column's values, and their least number, that make another of its name a key."""

WORSE = "rejected"
"""The column of a row that may have the text of any other record on purpose."""


class Cell(NamedTuple):
    """A text of a record: which table, which record of it, which column."""

    table: int
    record: int
    column: str


class Parts(NamedTuple):
    """What a row asks and what it answers. Without a question, `answer` is the whole text."""

    question: str
    answer: str


class Records:
    """The texts of tables, to be found again in rows however these were put together."""

    def __init__(self, tables: list[list[Row]]) -> None:
        self.tables = tables
        self._keys: dict[tuple[int, int], list[str]] = {}
        self._kinds: dict[tuple[int, str], bool] = {}
        self._places: dict[tuple[int, int], dict[str, int]] = {}

    @cached_property
    def _long(self) -> dict[str, list[tuple[str, list[Cell]]]]:
        """Texts with their cells, by how they begin."""
        heads: dict[str, list[tuple[str, list[Cell]]]] = {}
        for key, cells in self._telling.items():
            if len(key) >= HEAD:
                heads.setdefault(key[:HEAD], []).append((key, cells))
        return heads

    @cached_property
    def _telling(self) -> dict[str, list[Cell]]:
        """The cells of each text that few records have."""
        every: dict[str, list[Cell]] = {}
        for table, records in enumerate(self.tables):
            for key, cells in _telling(table, records):
                every.setdefault(key, []).extend(cells)
        return every

    def within(self, text: str) -> set[Cell]:
        """The cells whose text is a part of this one: letters and digits alone are compared."""
        whole = letters(text)
        if len(whole) < HEAD:
            cells = self._telling.get(whole, ())
            known = (cell for cell in cells if cell.column.lower() in ANSWERS)
            return {cell for cell in known if self._differ(cell.table, cell.column)}
        heads = {whole[at : at + HEAD] for at in range(len(whole) - HEAD + 1)}
        found = (entry for head in heads for entry in self._long.get(head, ()))
        return {cell for key, cells in found if key in whole for cell in cells}

    def _differ(self, table: int, column: str) -> bool:
        """Whether a column's answers tell records apart: the letters of choices do not."""
        if (table, column) not in self._kinds:
            values = [repr(record.get(column)) for record in self.tables[table]]
            self._kinds[table, column] = len({*values}) >= KINDS * len(values)
        return self._kinds[table, column]

    def keys(self, table: int, other: int) -> list[str]:
        """The columns of a table that say which of the other's records belong to its own."""
        if (table, other) not in self._keys:
            self._keys[table, other] = [
                name for name in columns(self.tables[table])
                if (KEY.search(name) and self._tells_apart(name, table))
                or (table != other and self._shared(name, table, other))
            ]  # fmt: skip
        return self._keys[table, other]

    def known_by(self, cell: Cell, table: int) -> set[str]:
        """What a record and those of a table are known by."""
        record = self.tables[cell.table][cell.record]
        names = self.keys(cell.table, table)
        return {str(record[name]) for name in names if record.get(name) is not None}

    def known(self, keys: set[str], cell: Cell, table: int) -> Cell | None:
        """The first record of a cell's table with one of these keys, which another table has."""
        pair = cell.table, table
        if pair not in self._places:
            places = self._places[pair] = {}
            for at in range(len(self.tables[cell.table])):
                for key in self.known_by(cell._replace(record=at), table):
                    places.setdefault(key, at)
        found = [self._places[pair][key] for key in keys if key in self._places[pair]]
        return cell._replace(record=min(found)) if found else None

    def linked_by_another(self, *tables: int) -> bool:
        """Whether a third table may say which records of two belong together."""
        others = (table for table in range(len(self.tables)) if table not in tables)
        return any(len(self.keys(table, table)) > 1 for table in others)

    def _tells_apart(self, name: str, table: int) -> bool:
        """Whether a column is more than a number within another: an answer a, b or c."""
        return len({repr(record.get(name)) for record in self.tables[table]}) >= VALUES

    def _shared(self, name: str, *tables: int) -> bool:
        """Whether two tables have mostly the same values in a column."""
        values = [{repr(record.get(name)) for record in self.tables[table]} for table in tables]
        least = min(map(len, values))
        records = min(len(self.tables[table]) for table in tables)
        common = len({*values[0]} & {*values[1]})
        return common >= max(VALUES, SHARED * least) and least >= SHARED * records

    def text(self, cell: Cell) -> str:
        """The text of a cell."""
        return " ".join(_texts(self.tables[cell.table][cell.record].get(cell.column)))


def parts(row: Mapping[str, Any]) -> Parts:
    """The two sides of a row as a trainer gets it."""
    for name in TALKS:
        turns = row.get(name)
        if isinstance(turns, list) and turns and isinstance(turns[-1], Mapping):
            before, last = (row.get("prompt"), turns[:-1]), turns[-1].get("content")
            return Parts(" ".join(texts(before)), " ".join(texts(last)))
    question = next((row[name] for name in QUESTIONS if row.get(name)), None)
    answer = next((row[name] for name in ANSWERS if row.get(name) is not None), None)
    if question and answer is not None:
        return Parts(" ".join(texts(question)), " ".join(_texts(answer)))
    return Parts("", " ".join(texts({**row, WORSE: None})))


def beginning(text: str) -> str:
    """The same of as much of a long text as tells it apart."""
    return letters(text[:LONGEST])


def _telling(table: int, records: list[Row]) -> Iterator[tuple[str, list[Cell]]]:
    """Each text that few records have, with its cells."""
    places: dict[str, list[Cell]] = {}
    for number, record in enumerate(records):
        for column, keys in _own_keys(record).items():
            for key in keys:
                places.setdefault(key, []).append(Cell(table, number, column))
    for key, cells in places.items():
        if key and len({cell.record for cell in cells}) <= max(1, COMMON * len(records)):
            yield key, cells


def _own_keys(record: Row) -> dict[str, set[str]]:
    """What each column has; nothing of one whose text another one has too, as a subject has."""
    every: dict[str, set[str]] = {}
    for column, value in record.items():
        own = list(_texts(value))
        ends = map(final, own) if str(column).lower() in ANSWERS else ()
        every[str(column)] = {beginning(text) for text in (*own, *ends)}
    return {
        column: {
            key
            for key in keys
            if len(key) < HEAD
            or not any(key in text and key != text for name, texts_ in every.items()
                       if name != column for text in texts_)
        }
        for column, keys in every.items()
    }  # fmt: skip


def _texts(value: Any) -> Iterator[str]:
    """The texts of a cell, also of a number."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield f"{value:g}" if isinstance(value, float) else str(value)
    else:
        yield from texts(value)


def columns(table: list[Row]) -> list[str]:
    """The columns of a table."""
    return list(dict.fromkeys(str(name) for record in table[:1] for name in record))


def only_values(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """What each text has, where it has but one."""
    values = defaultdict[str, set[Any]](set)
    for text, value in pairs:
        if text:
            values[text].add(value)
    return {text: next(iter(own)) for text, own in values.items() if len(own) == 1}
