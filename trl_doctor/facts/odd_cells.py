"""Cells of the run's own rows that no trainer of TRL can read: null, or of another type."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.own_rows import LARGEST, own_file, own_rows, unread
from trl_doctor.facts.special_tokens import known_trainer, trl_of
from trl_doctor.probes.layout.needed_columns import COLUMNS, TEXT
from trl_doctor.probes.reading import columns, json_rows

MOST = 20_000
"""Rows that are looked at."""

MORE = {"dpo": ("prompt",), "kto": ("prompt",), "reward": ("margin",)}
"""Columns that a trainer reads too, where they are there."""

NUMBERS_REFUSED = Version("0.24.0")
"""Up to this release KTO takes the labels 0 and 1 for no labels at all."""


class OddCell(Struct, frozen=True):
    """The first odd cell of a column: its row, counted from 1, and what it holds."""

    row: int
    column: str
    holds: str


def odd_cells(facts: Facts) -> list[OddCell]:
    """The first odd cell of each column that the trainer reads. Raises `Unavailable`."""
    present = columns(facts[own_rows])
    read = _read(facts, present)
    file = own_file(facts)
    trl = trl_of(facts)
    numbers = trl is not None and trl > NUMBERS_REFUSED
    try:
        rows = itertools.islice(json_rows(file, LARGEST), MOST)
        return list(_first(rows, read, numbers))
    except (OSError, ValueError, RecursionError) as error:
        raise unread(file, error) from None


def _read(facts: Facts, present: Iterable[str]) -> list[str]:
    """The columns that the trainer reads; empty where that is not known."""
    trainer, names = known_trainer(facts) or "", set(present)
    field = facts.run.arguments.get("dataset_text_field")
    groups = COLUMNS.get(trainer, ()) if trainer != "ppo" else ()
    named = [(field,) if group == TEXT and isinstance(field, str) else group for group in groups]
    group = next((group for group in named if names.issuperset(group)), ())
    more = [column for column in MORE.get(trainer, ()) if group and column in names]
    return list(dict.fromkeys([*group, *more]))


def _first(rows: Iterable[dict[str, Json]], read: list[str], numbers: bool) -> Iterator[OddCell]:
    left = list(read)
    for number, row in enumerate(rows, 1):
        for column in [name for name in left if (_odd(name, row.get(name), numbers))]:
            left.remove(column)
            yield OddCell(number, column, _odd(column, row.get(column), numbers))
        if not left:
            return


def _odd(column: str, value: Json, numbers: bool) -> str:
    """What is odd about a cell, in words; empty if it can be read."""
    if value is None:
        return "null"
    if column == "label":
        well = isinstance(value, bool) or (numbers and value in (0, 1))
        return "" if well else f"{value!r}"[:40]
    if column == "margin":
        return "" if isinstance(value, int | float) else f"{value!r}"[:40]
    if column == "messages" and value == []:
        return "no message"
    return "" if isinstance(value, str | list) else f"{value!r}"[:40]
