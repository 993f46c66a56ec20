"""The first rows of the run's own data, if they are in a local file.

Rows of JSON and CSV files are read here; those of Parquet and Arrow files by the real libraries.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import dataset
from trl_doctor.facts.column_changes import changed, changes
from trl_doctor.facts.data_files import ENDINGS as JSON
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.rows.followed import MOST, rows_made
from trl_doctor.facts.rows.loaded import ENDINGS as BINARY
from trl_doctor.facts.rows.loaded import loaded_rows
from trl_doctor.facts.rows.long_lists import first_items, is_long_list
from trl_doctor.facts.rows.mapped import Made, followed, may_run
from trl_doctor.facts.rows.run_part import run_part
from trl_doctor.facts.rows.tables import ENDINGS as TABLES
from trl_doctor.facts.rows.tables import table_rows
from trl_doctor.files.source.document import Script
from trl_doctor.probes.reading import json_rows

LARGEST = 16 * 2**20
"""Rows that are examined; bytes of a row, and those that are read of a table or of one list."""

MANY = 20_000
"""Rows that are examined where one may be different from the first."""

NO_FILE = "the rows of the run are in no local file"

KEYS = ("datasets", "dataset_name")
"""Keys under which a run names its data; TRL reads the second only if the first is absent."""


def own_rows(facts: Facts) -> list[dict[str, Json]]:
    """The first rows, at least one.

    Raises `NotConcerned` if the run names no data, else `Unavailable`.
    """
    rows = facts[first_rows]
    if not rows:
        raise Unavailable(f"{file_name(facts)} has no rows")
    return rows


def first_rows(facts: Facts) -> list[dict[str, Json]]:
    """The first rows, none for a file without rows; raises as `own_rows` does."""
    return list(itertools.islice(many_rows(facts), MOST))


def many_rows(facts: Facts) -> Iterator[dict[str, Json]]:
    """The first 20,000 rows, one by one, with the columns that the trainer gets.

    Those that a script makes of a file are at most 64. Raises as `own_file` does.
    """
    if (source := facts.get(made)) is not None:
        yield from facts[followed_rows] if not source.ran else source.rows
        return
    steps, rows = changes(facts), _of_file(facts, own_file(facts))
    yield from (changed(row, steps) for row in rows) if steps else rows


def made(facts: Facts) -> Made:
    """Where the rows of a script come from; raises `Unavailable` if not all is known.

    The lines are run that make rows which cannot be followed, where libraries may be asked.
    """
    if not are_run(facts):
        return facts[followed]
    answer, script = facts.get(run_part), facts.run.file
    if answer is None or answer.value is None or not answer.value.rows:
        return facts[followed]
    assert isinstance(script, Script)
    rows = tuple(dict(row) for row in answer.value.rows)
    total = answer.value.total
    return Made(None, rows, "", (), tuple(script.places.pieces), ran=True, total=total)


def are_run(facts: Facts) -> bool:
    """Whether the lines that make the rows have to be run: they cannot be followed, and may be."""
    return may_run(facts) and facts.get(followed_rows) is None


def followed_rows(facts: Facts) -> list[dict[str, Json]]:
    """The first rows of a script as reading alone knows them; raises `Unavailable`."""
    source = facts[followed]
    rows = _of_file(facts, source.file) if source.file else source.rows
    return rows_made(facts, source, rows)


def are_all(facts: Facts) -> bool:
    """Whether the first rows of a script are all that its trainer gets."""
    source = facts.get(made)
    if source is not None and source.ran:
        return source.total is not None and source.total <= len(source.rows)
    if source is not None and source.parted:
        return False
    rows = (source.rows if source else ()) or _of_file(facts, own_file(facts))
    return sum(1 for _ in itertools.islice(rows, MOST + 1)) <= MOST


def _of_file(facts: Facts, file: Path) -> Iterator[dict[str, Json]]:
    if file.suffix in (*TABLES, *BINARY):
        yield from facts[table]
        return
    try:
        rows = first_items if is_long_list(file, LARGEST) else json_rows
        yield from itertools.islice(rows(file, LARGEST), MANY)
    except (OSError, ValueError, RecursionError) as error:
        raise unread(file, error) from None


def table(facts: Facts) -> list[dict[str, Json]]:
    """The first 20,000 rows of a file that is no JSON; raises as `own_file` does."""
    file = own_file(facts)
    try:
        if file.suffix in BINARY:
            return loaded_rows(facts, file, MANY)
        return list(table_rows(file, LARGEST, MANY))
    except (OSError, ValueError) as error:
        raise unread(file, error) from None


def in_rows(facts: Facts, row: int, rows: int) -> str:
    """A row in words, and of how many rows that were read the same is true."""
    more = f" ({rows} of the rows that were read)" if rows > 1 else ""
    return f"row {row} of {file_name(facts)}{more}"


def own_file(facts: Facts) -> Path:
    """The file with the rows; raises `NotConcerned` if the run names none, else `Unavailable`."""
    source = facts.get(made)
    if source is not None and source.file is not None:
        return source.file
    key = data_key(facts)
    for file in dataset.files(facts, (*JSON, *TABLES, *BINARY)):
        return file
    name = facts.run.arguments[key]
    if isinstance(name, str) and not dataset.existing_path(facts, name):
        raise dataset.not_on_this_machine(name)
    raise Unavailable(NO_FILE)


def unread(file: Path, error: Exception) -> Unavailable:
    """Why the rows of a file were not read; `data_rows` finds the line."""
    if isinstance(error, UnicodeDecodeError):
        return Unavailable(f"{file.name} is not UTF-8 text")
    if isinstance(error, RecursionError):
        return Unavailable(f"{file.name} nests too deep")
    return Unavailable(f"{file.name} cannot be read: {error}")


def data_key(facts: Facts) -> str:
    """The argument that names the data; raises `NotConcerned` if there is none."""
    if facts.get(made) is not None:
        return KEYS[1]
    key = next((key for key in KEYS if facts.run.arguments.get(key)), "")
    if not key:
        raise NotConcerned("the run names no data")
    return key


def file_name(facts: Facts) -> str:
    """The name of the file that contains the rows; raises as `own_file` does.

    Where a script makes the rows: the name of what it makes them of, and how.
    """
    source = facts.get(made)
    return source.name if source is not None else own_file(facts).name
