"""The rows that a script makes: of a local file with `map` and `filter`, or of its own values.

The script is read, and not run.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import dataset
from trl_doctor.facts.column_changes import changed
from trl_doctor.facts.data_files import ENDINGS
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.column_steps import ColumnStep, names_in, step_of
from trl_doctor.facts.script.data import FILES, KEEPS, loads
from trl_doctor.files.source.applied import applied, rows_in, takes_rows
from trl_doctor.files.source.document import Script
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import LibraryObject, Many, Plain, Unknown, Value, text_in

MOST = 64
"""Rows that are made."""

HARMLESS = frozenset({"function", "remove_columns", "desc", "num_proc", "load_from_cache_file",
                      "keep_in_memory", "writer_batch_size", "new_fingerprint"})  # fmt: skip
"""Arguments of `map` and `filter` that change no row, or are read here."""

IN_PLACE = ("set_", "reset_", "__")
"""How the names of methods begin that change a data set itself: all others give another one."""

NOT_FOLLOWED = "what the script makes of its rows is not known"


class Step(Struct, frozen=True):
    """A `map`, or a `filter`, and the columns that it removes; all of them where `alone`."""

    function: Function
    filters: bool
    removes: frozenset[str] = frozenset()
    alone: bool = False


class Made(Struct, frozen=True):
    """A file of rows, or the `rows` of the script itself, and what the script makes of them."""

    file: Path | None
    rows: tuple[dict[str, Json], ...]
    place: str
    steps: tuple[Step | ColumnStep, ...]
    pieces: tuple[Piece, ...]

    @property
    def name(self) -> str:
        """The file, or the line of the script, and the functions through which the rows go."""
        names = [step.function.name for step in self.steps if isinstance(step, Step)]
        after = ", ".join("a lambda" if name == "lambda" else name for name in names)
        source = self.file.name if self.file else f"the data set of {self.place}"
        return f"{source} (after {after})" if after else source


def made(facts: Facts) -> Made:
    """Where the rows come from; raises `Unavailable` if not all that happens to them is known."""
    script, rows = facts.run.file, facts.run.script.value("train_dataset")
    if not isinstance(script, Script) or not isinstance(rows, LibraryObject):
        raise Unavailable(NOT_FOLLOWED)
    steps = list[Step | ColumnStep]()
    while isinstance(rows, LibraryObject) and rows.base is not None:
        name = rows.short.partition("[")[0]
        if _is_open(rows):
            raise Unavailable(NOT_FOLLOWED)
        if (step := step_of(rows) or _step(rows)) is not None:
            steps.append(step)
        elif name not in KEEPS and "[" not in rows.short:
            raise Unavailable(NOT_FOLLOWED)
        rows = rows.base
    file, own = _file(facts, rows), _own(rows)
    if not own and (file is None or not any(isinstance(step, Step) for step in steps)):
        raise Unavailable(NOT_FOLLOWED)
    line = rows.span.line if isinstance(rows, LibraryObject) and rows.span else 0
    return Made(file, own, f"line {line}", tuple(reversed(steps)), tuple(script.places.pieces))


def rows_made(found: Made, rows: Iterable[dict[str, Json]]) -> Iterator[dict[str, Json]]:
    """The first rows as the trainer gets them; raises `Unavailable` where one is not known."""
    for row in itertools.islice(rows, MOST):
        new: dict[str, Json] | None = row
        for step in found.steps:
            if new is not None:
                new = (
                    changed(new, [step])
                    if isinstance(step, ColumnStep)
                    else _through(step, new, found.pieces)
                )
        if new is not None:
            yield new


def _through(step: Step, row: dict[str, Json], pieces: tuple[Piece, ...]) -> dict[str, Json] | None:
    """A row after the step; None where a filter leaves it out."""
    result = applied(step.function, row, pieces)
    if step.filters:
        return row if result else None
    if result is None:
        return row
    if not isinstance(result, dict):
        raise Unavailable(f"{step.function.name} returns no dictionary")
    kept = {} if step.alone else {k: v for k, v in row.items() if k not in step.removes}
    return {**kept, **result}


def _step(call: LibraryObject) -> Step | None:
    """A `map` or `filter` whose function can be followed; None for any other call."""
    filters = call.short == "filter"
    function = call.argument("function", 0) if call.short in ("map", "filter") else None
    if not isinstance(function, Function) or not takes_rows(function):
        return None
    if call.rest is not None or len(call.arguments) > 1 or not HARMLESS.issuperset(call.keywords):
        return None
    removed = call.argument("remove_columns")
    if removed is None or (isinstance(removed, Plain) and removed.value is None):
        return Step(function, filters)
    if isinstance(removed, Unknown) and removed.part == "column_names":
        return Step(function, filters, alone=removed.of is call.base) if removed.of else None
    names = names_in(removed)
    return Step(function, filters, frozenset(names)) if names is not None else None


def _is_open(call: LibraryObject) -> bool:
    """Whether the data set is made under a condition, or is itself changed later."""
    return bool(call.guards) or any(deed.name.startswith(IN_PLACE) for deed in call.deeds)


def _own(call: Value | None) -> tuple[dict[str, Json], ...]:
    """The rows that the script writes itself; none if they are not all known."""
    if not isinstance(call, LibraryObject) or _is_open(call) or call.rest is not None:
        return ()
    if call.of == "datasets.Dataset.from_list" and len(call.arguments) + len(call.keywords) == 1:
        return rows_in(call.argument("mapping", 0))
    return ()


def _file(facts: Facts, call: Value | None) -> Path | None:
    """The local file of JSON that a call loads."""
    if not isinstance(call, LibraryObject) or not loads(call) or _is_open(call):
        return None
    files = call.argument("data_files") or call.argument("path_or_paths", 0)
    if isinstance(files, Many) and len(files.items) == 1:
        files = files.items[0]
    builder = call.argument("path", 0)
    plain = call.of.endswith("from_json") or text_in(builder) in FILES
    path = dataset.existing_path(facts, text_in(files)) if plain and text_in(files) else None
    return path if path is not None and path.suffix in ENDINGS else None
