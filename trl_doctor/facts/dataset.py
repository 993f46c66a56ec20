"""What is known about the data set without downloading it: conversations or plain text?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.finding import Json, Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.column_changes import changed, changes
from trl_doctor.facts.data_files import ENDINGS, data_file
from trl_doctor.files.launch.shell.named import on_this_machine
from trl_doctor.files.regular import bytes_of, opened

TABLES = (".csv", ".tsv", ".parquet", ".arrow")
"""Formats that only the real libraries read."""
COLUMNS = ("messages", "conversations", "prompt", "completion", "chosen", "rejected")
"""Columns that contain a conversation (a list of role and content) or a text."""

RLOO_TOKENIZES = Version("0.22.0")
"""From this release on RLOO takes prompts; before, rows of tokens as PPO does."""

TURN = frozenset({"role", "content"})
"""The keys of a turn of a conversation."""

ROW, SAMPLE = 1024 * 1024, 64
"""The bytes of a data file that are read for its first rows, and the most rows."""


class Kind(Struct, frozen=True):
    """Whether rows are conversations, the reason, and its place in the run file or a data file."""

    conversational: bool
    because: str
    place: Place


def kind(facts: Facts) -> Kind:
    """Whether the rows are conversations. Raises `Unavailable` if neither run nor file shows it."""
    run = facts.run
    stated = run.arguments.get("dataset_format")
    if stated in ("conversational", "text"):
        place = run.place("dataset_format")
        return Kind(stated == "conversational", f"dataset_format is {stated}", place)
    if run.flag("assistant_only_loss"):
        place = run.place("assistant_only_loss")
        return Kind(True, "assistant_only_loss trains on conversations", place)
    for name, place in names(facts):
        for path in _places(facts, name):
            row = _first_row(path, split(facts))
            if row is not None:
                return of_row(changed(row, changes(facts)), name, place)
    raise Unavailable(
        "whether the data are conversations is not known: "
        "set `dataset_format: conversational` or `dataset_format: text` in the run file"
    )


def names(facts: Facts) -> list[tuple[str, Place]]:
    """The data sets or their local files that the run names, as TRL's script arguments do."""
    run = facts.run
    mixture = run.arguments.get("datasets")
    name = run.arguments.get("dataset_name")
    if not mixture and isinstance(name, str):
        return [(name, run.place("dataset_name"))]
    named = list[tuple[str, Place]]()
    for number, item in enumerate(mixture if isinstance(mixture, list) else ()):
        files = item.get("data_files", item.get("path")) if isinstance(item, dict) else None
        for file in files if isinstance(files, list) else [files]:
            if isinstance(file, str):
                named.append((file, run.place("datasets", number)))
    return named


def files(facts: Facts, endings: tuple[str, ...] = ENDINGS) -> list[Path]:
    """The existing local files of rows that the run names; by default JSON files only."""
    paths = []
    for name, _ in names(facts):
        for path in _places(facts, name):
            if (file := data_file(path, endings, split(facts))) is not None:
                paths.append(file.absolute())
                break
    return paths


def all_files(facts: Facts) -> list[Path]:
    """The existing local files of rows in any format that `datasets` reads."""
    return files(facts, (*ENDINGS, *TABLES))


def split(facts: Facts) -> str:
    """The split that is trained on, without the part of it that is taken (`train[:100]`)."""
    stated = facts.run.arguments.get("dataset_train_split")
    return (stated.partition("[")[0] if isinstance(stated, str) else "") or "train"


def columns(facts: Facts) -> list[str]:
    """The columns of the run's first rows; empty if no row can be read without a library."""
    found = next((columns_of(path) for path in all_files(facts)), [])
    return [*changed(dict.fromkeys(found), changes(facts))]


def columns_of(file: Path) -> list[str]:
    """The columns of a file's first rows; empty if no row can be read without a library."""
    from trl_doctor.probes.reading import columns as columns_of_rows

    return columns_of_rows(_first_rows(file))


def lacking(columns: Sequence[str], facts: Facts, *, texts: bool = False) -> str:
    """The columns that the run's trainer needs, in words, if the rows have none of them.

    With `texts` a function of the script makes the texts: only what does not help counts.
    """
    trainer = facts.run.trainer
    if takes_tokens(facts):
        return "" if "input_ids" in columns else "input_ids: this trainer takes rows of tokens"
    from trl_doctor.probes.layout.needed_columns import COLUMNS as COLUMNS_OF
    from trl_doctor.probes.layout.needed_columns import NO_PROMPT
    from trl_doctor.probes.layout.needed_columns import lacking as lacks

    if isinstance(trainer, Unavailable) or trainer.name not in COLUMNS_OF:
        return ""
    trl = facts.environment.version("trl")
    field = facts.run.arguments.get("dataset_text_field")
    words = lacks(columns, trainer.name, field, trl.release if trl else None)
    return "" if texts and words != NO_PROMPT else words


def takes_tokens(facts: Facts) -> bool:
    """Whether the trainer of a script takes rows of tokens only, and tokenizes nothing itself."""
    trainer, trl = facts.run.trainer, facts.environment.version("trl")
    if not facts.run.by_class or isinstance(trainer, Unavailable):
        return False
    old = trl is not None and trl < RLOO_TOKENIZES
    return trainer.name == "ppo" or (trainer.name == "rloo" and old)


def lines(file: Path) -> int:
    """The number of rows in a file with one row per line; 0 for other files."""
    if file.suffix not in (".jsonl", ".ndjson"):
        return 0
    try:
        with opened(file) as stream:
            rows, begun = 0, False
            while piece := stream.readline(ROW):
                begun = begun or not piece.isspace()
                if piece.endswith(b"\n"):
                    rows, begun = rows + begun, False
            return rows + begun
    except OSError:
        return 0


def existing_path(facts: Facts, name: str) -> Path | None:
    """The file or folder with a name that the run uses, None if there is none."""
    for path in _places(facts, name):
        try:
            if path.exists():
                return path
        except (OSError, ValueError):  # too long, or with a zero byte
            continue
    return None


def not_on_this_machine(name: str) -> Unavailable:
    """The reason why nothing is known about a data set of that name."""
    return Unavailable(f"{name:.60} is not on this machine, and rows on the Hub are not read")


def _places(facts: Facts, name: str) -> list[Path]:
    """The paths that a name in the run file can mean."""
    try:
        path = Path(name).expanduser()
    except RuntimeError:  # ~user for a user who does not exist
        return []
    inside = on_this_machine(name, facts.run.target.mounts)
    return [*([inside] if inside else []), *(root / path for root in facts.run.roots)]


def _first_row(path: Path, split: str) -> dict[str, Json] | None:
    file = data_file(path, (*ENDINGS, ".csv", ".tsv", ".parquet"), split)
    return next(iter(_first_rows(file)), None) if file else None


def _first_rows(file: Path) -> list[dict[str, Json]]:
    """The rows in the first part of a file that can be read without a library.

    Of a Parquet file one row that has its columns, and conversations where those are.
    """
    try:
        if file.suffix == ".parquet":
            from trl_doctor.files.formats import parquet

            values: dict[str, Json] = {}
            for name, parts in parquet.columns(file).items():
                values[name] = [{"role": "", "content": ""}] if {*parts} >= TURN else ""
            return [values] if values else []
        text = bytes_of(file, ROW)
        if file.suffix in (".csv", ".tsv"):
            return _of_csv(text.decode(), "\t" if file.suffix == ".tsv" else ",")
        if text.lstrip()[:1] == b"[":
            rows = msgspec.json.decode(text)
        else:
            lines = [line for line in text.split(b"\n") if line.strip()]
            rows = [msgspec.json.decode(line) for line in (lines[:-1] or lines)[:SAMPLE]]
    except (OSError, ValueError, RecursionError):  # msgspec's errors are a ValueError
        return []
    return rows if all(isinstance(row, dict) for row in rows) else []


def _of_csv(text: str, comma: str) -> list[dict[str, Json]]:
    """The first row of a table with a header. Raises `ValueError` if it is none."""
    import csv
    import io

    reader = csv.reader(io.StringIO(text), delimiter=comma)
    try:
        head = next(reader, [])
        return [dict(zip(head, next(reader, head), strict=False))]
    except csv.Error as error:
        raise ValueError(str(error)) from error


def of_row(row: dict[str, Json], name: str, place: Place) -> Kind:
    """Whether a row is a conversation, as far as its columns show it, of the data `name`."""
    for column in COLUMNS:
        value = row.get(column)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return Kind(True, f"the first row of {name} has a conversation in {column}", place)
    return Kind(False, f"the first row of {name} has no conversation", place)
