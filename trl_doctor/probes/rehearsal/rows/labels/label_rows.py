"""Rows whose label was taken from another record than their text."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..excerpt import excerpt
from ..intent import says
from ..letters import letters, text_of
from ..records import HEAD, Cell, Records, columns, parts
from ..sources import Row

COMPARED = 512
"""Rows that are compared."""

FEWEST, FOUND = 16, 0.8
"""Rows whose record is known, at least, and their share."""

KINDS, EACH = 1 / 3, 4
"""Different labels for each row, at most, and rows of each label, at least."""

WRONG, FITS = 0.25, 0.9
"""The share of the rows with another label than their record, and of those that have its own."""

LONG = 40
"""Letters of an answer that may be a label."""

CONTROL = re.compile(r"control|permut|nois|(random|shuffled)[ _]labels?|sanity|null", re.IGNORECASE)
"""Words of scripts that give rows wrong labels on purpose."""

LABEL = ("label", "labels")

Labels = list[str]


class _Read(NamedTuple):
    """The labels of all rows, and the places and records of those whose text is known."""

    labels: Labels
    rows: list[int]
    cells: list[Cell]

    @property
    def found(self) -> Labels:
        """The labels of the rows whose records are known."""
        return [self.labels[at] for at in self.rows]


def labels_apart(records: Records, rows: Any, tokenizer: Any) -> list[str] | None:
    """How many rows, of how many; a text, its label in the row, and the one in the data."""
    try:
        reads = _read(records, list(itertools.islice(iter(rows), COMPARED)), tokenizer)
        return _apart(records, reads)
    except Exception:  # rows of another kind
        return None


def _read(records: Records, rows: list[Row], tokenizer: Any) -> list[_Read]:
    """The rows beside each table that has their texts."""
    labels, texts = list[str](), list[str]()
    for row in rows:
        label, text = _sides(row, tokenizer)
        labels.append(label)
        texts.append(text)
    count = Counter(labels)
    few = min(count.values(), default=0) < EACH or len(count) < 2
    if len(rows) < FEWEST or "" in count or (few and _numbers([*count]) is None):
        return []
    if few and not _are_many(labels):
        return []
    cells = [_cells(records, text) for text in texts]
    reads = list[_Read]()
    for table in range(len(records.tables)):
        known = [(at, own[table]) for at, own in enumerate(cells) if table in own]
        columns_ = {cell.column for _, cell in known}
        once = len({cell.record for _, cell in known}) == len(known)
        if len(columns_) == 1 and once and len(known) >= FOUND * len(rows):
            reads.append(_Read(labels, [at for at, _ in known], [cell for _, cell in known]))
    return reads


def _sides(row: Row, tokenizer: Any) -> tuple[str, str]:
    """A row's label, and its text without that."""
    name = next((name for name in LABEL if isinstance(row.get(name), (bool, int, float, str))), "")
    if name and "input_ids" in row:
        return _plain(row[name]), text_of(row, tokenizer)
    if name:
        sides = parts({key: value for key, value in row.items() if key != name})
        return _plain(row[name]), f"{sides.question} {sides.answer}"
    sides = parts(row)
    return (_plain(sides.answer) if len(sides.answer) <= LONG else ""), sides.question


def _plain(value: Any) -> str:
    """A label as it is compared: numbers and truth values are written alike."""
    text = str(value).strip().lower()
    return text[:-2] if re.fullmatch(r"\d+\.0", text) else text


def _cells(records: Records, text: str) -> Mapping[int, Cell]:
    """The longest text of each table that is a part of this one, if it is of one record."""
    sizes = {cell: len(letters(records.text(cell))) for cell in records.within(text)}
    longest = [cell for cell, size in sizes.items() if size == max(sizes.values()) >= HEAD]
    count = Counter(cell.table for cell in longest)
    return {cell.table: cell for cell in longest if count[cell.table] == 1}


def _apart(records: Records, reads: list[_Read]) -> list[str] | None:
    every = [(read, *column) for read in reads for column in _columns(records, read)]
    if any(_fits(own, read.found) or _divides(own, read.found) for read, _, _, own in every):
        return None
    for read, name, values, own in every:
        means = _in_order(values, read) or (_moved(name, own, read) and _same(own))
        if not means:
            continue
        wrong = [at for at, (value, label) in enumerate(zip(own, read.found))
                 if means.get(value, label) != label]  # fmt: skip
        if len(wrong) >= max(EACH, WRONG * len(own)):
            at = wrong[0]
            text, label = excerpt(records.text(read.cells[at])), read.found[at]
            return [str(len(wrong)), str(len(own)), text, label, means[own[at]]]
    return None


def _columns(records: Records, read: _Read) -> Iterator[tuple[str, Labels, Labels]]:
    """Each column of the data: its name, its values, and those of the records of the rows."""
    for table, rows in enumerate(records.tables):
        places = [_place(records, cell, table) for cell in read.cells]
        if None in places:
            continue
        for name in columns(rows):
            values = [_plain(row.get(name)) for row in rows]
            yield name, values, [values[at] for at in places if at is not None]


def _place(records: Records, cell: Cell, table: int) -> int | None:
    """The record of a table that belongs to a text."""
    if cell.table == table:
        return cell.record
    if records.keys(cell.table, table) and records.keys(table, cell.table):
        keys = records.known_by(cell, table)
        known = records.known(keys, Cell(table, 0, ""), cell.table)
        return known.record if known else None
    same = len(records.tables[table]) == len(records.tables[cell.table])
    return cell.record if same else None


def _means(values: Labels, labels: Labels) -> dict[str, str]:
    """The label that each value mostly has beside it."""
    beside: dict[str, Counter[str]] = {}
    for value, label in zip(values, labels):
        beside.setdefault(value, Counter())[label] += 1
    return {value: count.most_common(1)[0][0] for value, count in beside.items()}


def _are_many(labels: Labels) -> bool:
    """Whether the labels are no classes, but numbers as scores are."""
    return len({*labels}) > KINDS * len(labels)


def _numbers(values: Labels) -> list[float] | None:
    try:
        return [float(value) for value in values]
    except ValueError:
        return None


def _fits(values: Labels, labels: Labels, share: float = FITS) -> bool:
    """Whether a column says the label."""
    if _are_many(labels):
        return sum(map(str.__eq__, values, labels)) >= share * len(labels)
    means = _means(values, labels)
    right = sum(means[value] == label for value, label in zip(values, labels))
    few = 2 <= len(means) <= max(2, KINDS * len(labels))
    return few and len({*means.values()}) > 1 and right >= share * len(labels)


def _divides(values: Labels, labels: Labels) -> bool:
    """Whether the labels are ranges of a column's numbers."""
    numbers = _numbers(values)
    if numbers is None:
        return False
    if _are_many(labels):
        scores = [score for _, score in sorted(zip(numbers, map(float, labels)))]
        return scores in (sorted(scores), sorted(scores, reverse=True))
    pairs = {*zip(numbers, labels)}
    if len({*numbers}) < len(pairs) or len(pairs) <= len({*labels}):
        return False  # a number has several labels, or there are no ranges
    ordered = [label for _, label in sorted(pairs)]
    return len([*itertools.groupby(ordered)]) <= 2 * len({*labels}) - 1


def _in_order(values: Labels, read: _Read) -> Mapping[str, str]:
    """What the values mean, if the labels are those of the first records, one after the other."""
    first = values[: len(read.labels)]
    in_file = sorted(range(len(read.rows)), key=lambda at: read.cells[at].record)
    joined = [read.labels[read.rows[at]] for at in in_file]
    orders = [(first, read.labels)]
    if len(joined) == len(read.labels):  # shuffled after they were joined
        orders.append((first, joined))
    for beside, labels in orders:
        if len(beside) == len(labels) and _fits(beside, labels, 1.0):
            return _means(beside, labels)
    return {}


def _moved(name: str, own: Labels, read: _Read) -> bool:
    """Whether the labels are those of the same records, in another order."""
    if name not in LABEL or Counter(own) != Counter(read.labels) or says(CONTROL):
        return False
    same = sum(one == other for one, other in zip(own, read.found)) / len(own)
    chance = sum((count / len(own)) ** 2 for count in Counter(own).values())
    return len(own) >= 2 * FEWEST and same <= chance + (1 - chance) / 4


def _same(values: Labels) -> Mapping[str, str]:
    return {value: value for value in values}
