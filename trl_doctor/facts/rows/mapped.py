"""The rows that a script makes: of a local file with `map` and `filter`, or of its own values.

The script is read, and not run.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import dataset
from trl_doctor.facts.data_files import ENDINGS
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.rows.row_steps import First, Step, first_of, step_with_function
from trl_doctor.facts.script.column_steps import ColumnStep, step_of
from trl_doctor.facts.script.data import FILES, KEEPS, loads
from trl_doctor.files.source.applied import rows_in
from trl_doctor.files.source.document import Script
from trl_doctor.files.source.text import Piece
from trl_doctor.files.source.values import (
    LibraryObject,
    Many,
    Value,
    text_in,
)

MOST = 64
"""Steps that are followed."""

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


class Made(Struct, frozen=True):
    """A file of rows, or the `rows` of the script itself, and what the script makes of them.

    `parted` says that the trainer gets a part of them alone. `ran` says that the lines
    that make them were run, `total` then how many there are, None of a stream.
    """

    file: Path | None
    rows: tuple[dict[str, Json], ...]
    place: str
    steps: tuple[Step | ColumnStep | First, ...]
    pieces: tuple[Piece, ...]
    parted: bool = False
    ran: bool = False
    total: int | None = None

    @property
    def name(self) -> str:
        """The file, or the line of the script, and the functions through which the rows go."""
        if self.ran:
            return "the data set that the script makes"
        names = [step.function.name for step in self.steps if isinstance(step, Step)]
        after = ", ".join("a lambda" if name == "lambda" else name for name in names)
        source = self.file.name if self.file else f"the data set of {self.place}"
        return f"{source} (after {after})" if after else source


def may_run(facts: Facts) -> bool:
    """Whether a script makes rows on this machine that no argument names as they are."""
    arguments, rows = facts.run.arguments, facts.run.script.value("train_dataset")
    if rows is None or not isinstance(arguments, Partly):
        return False
    if "dataset_name" not in arguments.unknown:
        return False
    while isinstance(rows, LibraryObject) and rows.base is not None:
        rows = rows.base
    if not isinstance(rows, LibraryObject) or not rows.of.endswith("load_dataset"):
        return True
    named = text_in(rows.argument("path", 0))
    return named in FILES or not named or dataset.existing_path(facts, named) is not None


def followed(facts: Facts) -> Made:
    """What is known without running a line of the script; raises `Unavailable` where not all is."""
    script, rows = facts.run.file, facts.run.script.value("train_dataset")
    if not isinstance(script, Script) or not isinstance(rows, LibraryObject):
        raise Unavailable(NOT_FOLLOWED)
    steps, parted = list[Step | ColumnStep | First](), False
    while isinstance(rows, LibraryObject) and rows.base is not None:
        name = rows.short.partition("[")[0]
        parted = parted or name == PARTS
        step = step_of(rows) or step_with_function(rows, script.places.pieces) or first_of(rows)
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
