"""Numbers and dates of the data that a script has ordered as texts: "10" comes before "9"."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...reading import texts
from .better_sides import END
from .intent import names_each
from .letters import letters, text_of
from .made_pairs import PAIR, said
from .records import HEAD, Records, beginning, columns
from .sources import MOST, Row

NUMBER = re.compile(r"-?\d+(\.\d+)?")
DATE = re.compile(r"\d{4}([-/.])\d{1,2}\1\d{1,2}([ T]\d{1,2}(:\d{1,2}){1,2})?|\d+(:\d{1,2}){1,2}")
"""A date that begins with its year, with or without a time, or a time alone."""

TALKS, TURNS = 3, 3
"""Conversations with a wrong order, and turns of a conversation, at least."""

PAIRS, EACH = 8, 3
"""Pairs that are judged, and those that say each order, at least."""

KEPT, KINDS = 8, 3
"""Rows that were kept, and left out, at least; and different values of each."""

COMPARED = 128
"""Rows whose turns or answers are looked at."""

Amount = tuple[float, ...]
Value = tuple[str, Amount]
"""What a cell has, and the number or date that it means."""

Values = Mapping[str, list[Value]]


def amount(value: Any) -> Amount | None:
    """The number, date or time that a text means; None for anything else."""
    text = value.strip() if isinstance(value, str) else ""
    if NUMBER.fullmatch(text):
        return (float(text),)
    return tuple(map(float, re.findall(r"\d+", text))) if DATE.fullmatch(text) else None


def written(table: list[Row]) -> Values:
    """The columns of numbers or dates whose order as texts is another one than their own."""
    found: dict[str, list[Value]] = {}
    for name in columns(table):
        cells = [str(row.get(name)).strip() for row in table]
        amounts = [amount(row.get(name)) for row in table]
        values = [(cell, own) for cell, own in zip(cells, amounts) if own is not None]
        ordered = [own for _, own in sorted(values)]
        if len(values) == len(table) and ordered != sorted(ordered):
            found[name] = values
    return found


def wrong_turns(records: Records, rows: Any, tokenizer: Any) -> list[str] | None:
    """A column by whose texts the turns of rows are ordered, two of its values, and the rows."""
    by_table = {at: written(table) for at, table in enumerate(records.tables)}
    if not any(by_table.values()):
        return None
    talks = [
        talk
        for row in itertools.islice(iter(rows), COMPARED)
        for talk in _talks(records, text_of(row, tokenizer))
    ]
    for table, names in by_table.items():
        for name, values in names.items():
            every = [[values[at] for at in places] for own, places in talks if own == table]
            wrong = [pair for talk in every if (pair := _backwards(talk))]
            in_order = all(one[0] <= other[0] for talk in every for one, other in _next(talk))
            if in_order and len(wrong) >= TALKS:
                (first, _), (second, _) = wrong[0]
                return [name, first, second, str(len(wrong)), str(len(every))]
    return None


def _talks(records: Records, text: str) -> Iterator[tuple[int, list[int]]]:
    """The records of a table whose texts a row has, in the order of the row."""
    whole = letters(text)
    places: dict[tuple[int, str], dict[int, int]] = {}
    for cell in records.within(text):
        key = beginning(records.text(cell))
        if len(key) >= HEAD:
            places.setdefault((cell.table, cell.column), {})[cell.record] = whole.find(key)
    for (table, _), at in places.items():
        if len(at) >= TURNS and len({*at.values()}) == len(at):
            yield table, sorted(at, key=at.__getitem__)


def _next(talk: list[Value]) -> Iterator[tuple[Value, Value]]:
    return zip(talk, itertools.islice(talk, 1, None))


def _backwards(talk: list[Value]) -> tuple[Value, Value] | None:
    """Two turns of which the second one is earlier."""
    return next((pair for pair in _next(talk) if pair[0][1] > pair[1][1]), None)


def wrong_pairs(tables: list[list[Row]], rows: list[Row]) -> list[str] | None:
    """The column by whose texts one of two answers was chosen, two values, and the rows."""
    for table in tables:
        names = written(table)
        places = _places(table) if names else {}
        sides = [[places.get(beginning(said(row.get(side)))) for side in PAIR] for row in rows]
        for name, values in names.items():
            pairs = [
                (values[first[0]], values[second[0]])
                for first, second in (side for side in sides if all(side))
                if first and second and first[0] != second[0] and first[1] == second[1]
            ]
            if words := _chosen_as_texts(name, [p for p in pairs if p[0][1] != p[1][1]]):
                return words
        if words := _of_one_record(table, names, sides):
            return words
    return None


def _of_one_record(table: list[Row], names: Values, sides: list[Any]) -> list[str] | None:
    """The same of answers with an end of their names, as `answer_a` beside `score_a`."""
    by_end: dict[str, dict[str, str]] = {}
    for name in names:
        if end := END.search(name):
            by_end.setdefault(END.sub("", name), {})[end[1].lower()] = name
    for base, ends in by_end.items():
        pairs = list[tuple[Value, Value]]()
        for first, second in (side for side in sides if all(side)):
            marks = [END.search(place[1]) for place in (first, second)]
            own = [ends.get(mark[1].lower()) if mark else None for mark in marks]
            if first[0] == second[0] and all(own) and own[0] != own[1]:
                one, other = (names[str(name)][first[0]] for name in own)
                pairs += [(one, other)] if one[1] != other[1] else []
        if words := _chosen_as_texts(base.strip("_"), pairs):
            return words
    return None


def _chosen_as_texts(name: str, pairs: list[tuple[Value, Value]]) -> list[str] | None:
    if len(pairs) < PAIRS:
        return None
    as_texts = {chosen[0] > rejected[0] for chosen, rejected in pairs}
    as_numbers = [chosen[1] > rejected[1] for chosen, rejected in pairs]
    wrong = [pair for pair, higher in zip(pairs, as_numbers) if {higher} != as_texts]
    if len(as_texts) > 1 or not EACH <= len(wrong) <= len(pairs) - EACH:
        return None
    (taken, _), (other, _) = wrong[0]
    return [name, taken, other, str(len(wrong)), str(len(pairs))]


def _places(table: list[Row]) -> dict[str, tuple[int, str]]:
    """The record and the column of each text that only one cell has."""
    places: dict[str, tuple[int, str]] = {}
    twice = set[str]()
    for at, row in enumerate(table):
        for name, cell in row.items():
            key = beginning(cell) if isinstance(cell, str) and amount(cell) is None else ""
            twice |= {key} if key in places else set()
            places[key] = at, str(name)
    return {key: place for key, place in places.items() if key and key not in twice}


def wrong_choice(tables: list[list[Row]], rows: Any) -> list[str] | None:
    """A column by whose texts rows were kept: two values, and how many were kept and left out."""
    named = [(table, names) for table in tables if (names := written(table))]
    if not named:
        return None
    first = itertools.islice(iter(rows), MOST)
    whole = " ".join(letters(text) for row in first for text in texts(row))
    for table, names in named:
        places = _places(table)
        known = {at for key, (at, _) in places.items() if len(key) >= HEAD}
        kept = {at for key, (at, _) in places.items() if len(key) >= HEAD and key in whole}
        if min(len(kept), len(known - kept)) < KEPT or len(known) < len(table):
            continue
        for name, values in names.items():
            taken, others = ([values[at] for at in sorted(some)] for some in (kept, known - kept))
            pair = _apart_as_texts(taken, others)
            if pair and not any(names_each({one for one, _ in side}) for side in (taken, others)):
                in_file = [value for value, _ in values]
                if in_file not in (sorted(in_file), sorted(in_file, reverse=True)):
                    (one, _), (other, _) = pair
                    return [name, one, other, str(len(taken)), str(len(others))]
    return None


def _apart_as_texts(taken: list[Value], others: list[Value]) -> tuple[Value, Value] | None:
    """Two rows of which the wrong one was kept, where the texts divide the rows and no number."""
    if min(len({*taken}), len({*others})) < KINDS:
        return None
    for low, high in ((taken, others), (others, taken)):
        as_numbers = ([own for _, own in side] for side in (low, high))
        (low_numbers, high_numbers) = as_numbers
        if max(low_numbers) <= min(high_numbers):
            return None
    for low, high in ((taken, others), (others, taken)):
        if max(low)[0] <= min(high)[0]:
            wrong = [(one, other) for one in low for other in high if one[1] > other[1]]
            if len(wrong) >= KINDS:
                return wrong[0] if low is taken else (wrong[0][1], wrong[0][0])
    return None
