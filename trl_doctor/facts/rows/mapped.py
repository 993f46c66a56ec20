"""The rows that a script makes: of a local file with `map` and `filter`, or of its own values.

The script is read, and not run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import dataset
from trl_doctor.facts.data_files import ENDINGS
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.script.column_steps import ColumnStep, names_in, step_of
from trl_doctor.facts.script.data import FILES, KEEPS, loads
from trl_doctor.facts.script.passed import switch
from trl_doctor.files.source.applied import rows_in
from trl_doctor.files.source.document import Script
from trl_doctor.files.source.exact import takes_rows
from trl_doctor.files.source.objects import Function
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import (
    LibraryObject,
    Many,
    Plain,
    Span,
    Table,
    Unknown,
    Value,
    text_in,
)

MOST = 64
"""Steps that are followed."""

HARMLESS = frozenset({"function", "remove_columns", "desc", "num_proc", "load_from_cache_file",
                      "keep_in_memory", "writer_batch_size", "new_fingerprint", "fn_kwargs",
                      "batched", "batch_size"})  # fmt: skip
"""Arguments of `map` and `filter` that change no row, or are read here."""

IN_PLACE = ("set_", "reset_", "__")
"""How the names of methods begin that change a data set itself: all others give another one."""

HERE = "the rows of the script were read: they are in a local file, or in the script itself"

NOT_FOLLOWED = "what the script makes of its rows is not known"


PLAIN_LOAD = frozenset({"path", "data_files", "path_or_paths", "split", "cache_dir", "num_proc",
                        "keep_in_memory", "download_mode", "verification_mode"})  # fmt: skip
"""Arguments of a call that loads a file which do not change its rows."""

CHOOSES = frozenset({"select", "take", "skip", "shard"})
"""Methods that leave rows out which are chosen by their number."""

PARTS = "train_test_split"
MOVES = frozenset({"shuffle", "sort", PARTS})
"""Methods after which the first rows are others."""


class Step(Struct, frozen=True):
    """A `map`, or a `filter`, and the columns that it removes; all of them where `alone`.

    The function gets `more` by name. Where it is `batched` it gets a dictionary of columns.
    """

    function: Function
    filters: bool
    span: Span
    more: Mapping[str, Value] = {}
    batched: bool = False
    removes: frozenset[str] = frozenset()
    alone: bool = False


class First(Struct, frozen=True):
    """Only so many rows from the first on are taken."""

    number: int


class Made(Struct, frozen=True):
    """A file of rows, or the `rows` of the script itself, and what the script makes of them.

    `parted` says that the trainer gets a part of them alone.
    """

    file: Path | None
    rows: tuple[dict[str, Json], ...]
    place: str
    steps: tuple[Step | ColumnStep | First, ...]
    pieces: tuple[Piece, ...]
    parted: bool = False

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
    steps, parted = list[Step | ColumnStep | First](), False
    while isinstance(rows, LibraryObject) and rows.base is not None:
        name = rows.short.partition("[")[0]
        parted = parted or name == PARTS
        step = step_of(rows) or _step(rows, script.places.pieces) or _first(rows)
        chosen = name in CHOOSES and not isinstance(step, First)
        moved = name in MOVES and any(isinstance(step, First) for step in steps)
        if _is_open(rows) or chosen or moved:
            raise Unavailable(NOT_FOLLOWED)
        if step is not None:
            steps.append(step)
        elif name not in KEEPS and "[" not in rows.short:
            raise Unavailable(NOT_FOLLOWED)
        rows = rows.base
    file, own = _file(facts, rows), _own(rows)
    if len(steps) > MOST or (
        not own and (file is None or not any(isinstance(step, Step) for step in steps))
    ):
        raise Unavailable(NOT_FOLLOWED)
    line = rows.span.line if isinstance(rows, LibraryObject) and rows.span else 0
    pieces = tuple(script.places.pieces)
    return Made(file, own, f"line {line}", tuple(reversed(steps)), pieces, parted)


def _step(call: LibraryObject, pieces: Sequence[Piece]) -> Step | None:
    """A `map` or `filter` whose function can be followed; None for any other call."""
    filters = call.short == "filter"
    function = call.argument("function", 0) if call.short in ("map", "filter") else None
    if not isinstance(function, Function):
        return None
    if call.rest is not None or len(call.arguments) > 1 or not HARMLESS.issuperset(call.keywords):
        return None
    more = _more(call)
    if more is None or not takes_rows(function, pieces, more):
        return None
    removed = call.argument("remove_columns")
    step = Step(function, filters, call.span, more, switch(call, "batched"))
    if removed is None or (isinstance(removed, Plain) and removed.value is None):
        return step
    if isinstance(removed, Unknown) and removed.part == "column_names":
        same = _columns_of(removed.of) is _columns_of(call.base)
        return replace(step, alone=True) if removed.of and same else None
    names = names_in(removed)
    return replace(step, removes=frozenset(names)) if names is not None else None


def _more(call: LibraryObject) -> dict[str, Value] | None:
    """What a function gets beside the row; None if that is not known, or may change."""
    given = call.argument("fn_kwargs")
    if given is None:
        return {}
    if not isinstance(given, Table) or given.rest is not None:
        return None
    entries = given.entries.items()
    if not all(isinstance(e.value, Plain | LibraryObject) and not e.perhaps for _, e in entries):
        return None
    return {str(name): entry.value for name, entry in entries}


def _columns_of(rows: LibraryObject | None) -> LibraryObject | None:
    """The data set that has the same columns, before rows were chosen or moved."""
    while rows is not None and rows.base is not None:
        if rows.short != "filter" and rows.short not in KEEPS and "[" not in rows.short:
            break
        rows = rows.base
    return rows


def _first(call: LibraryObject) -> First | None:
    """How many of the first rows a call takes; None where it takes others, or that is not known."""
    given = call.argument("indices" if call.short == "select" else "n", 0)
    if call.rest is not None or len(call.arguments) + len(call.keywords) != 1:
        return None
    if call.short == "take" and isinstance(given, Plain) and isinstance(given.value, int):
        return First(given.value)
    is_range = call.short == "select" and isinstance(given, Many) and given.kind == "range"
    if is_range and isinstance(given, Many):
        numbers = [item.value for item in given.items if isinstance(item, Plain)]
        return First(len(numbers)) if numbers == list(range(len(numbers))) else None
    return None


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
    split = call.argument("split")
    part = split is not None and ("[" in text_in(split) or not text_in(split))
    if part or not PLAIN_LOAD.issuperset(call.keywords) or len(call.arguments) > 1:
        return None
    path = dataset.existing_path(facts, text_in(files)) if plain and text_in(files) else None
    return path if path is not None and path.suffix in ENDINGS else None
