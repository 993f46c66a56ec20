"""What can be known of the data set without downloading it: conversations or plain text?"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from trl_doctor.core.finding import Json, Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.files.formats import parquet
from trl_doctor.files.table_head import features
from trl_doctor.probes.layout.rows import COLUMNS as COLUMNS_OF
from trl_doctor.probes.layout.rows import lacking as lacks
from trl_doctor.probes.reading import columns as columns_of

ENDINGS = (".jsonl", ".json", ".ndjson")
TABLES = (".csv", ".tsv", ".parquet", ".arrow")
"""What only the real libraries read."""
COLUMNS = ("messages", "conversations", "prompt", "completion", "chosen", "rejected")
"""Columns that hold a conversation (a list of role and content) or a text."""

TURN = frozenset({"role", "content"})
"""The keys of a turn of a conversation."""

ROW, SAMPLE = 1024 * 1024, 64
"""Bytes of a data file that are read to see its first rows, and how many of those."""


@dataclass(frozen=True)
class Kind:
    """`conversational`, and who says so: a place in the run file or in a data file."""

    conversational: bool
    because: str
    place: Place


def kind(facts: Facts) -> Kind:
    """Whether the rows are conversations. `Unavailable` where neither run nor file tells."""
    run = facts.run
    said = run.arguments.get("dataset_format")
    if said in ("conversational", "text"):
        place = run.place("dataset_format")
        return Kind(said == "conversational", f"dataset_format is {said}", place)
    if run.flag("assistant_only_loss"):
        place = run.place("assistant_only_loss")
        return Kind(True, "assistant_only_loss trains on conversations", place)
    for name, place in _names(facts):
        for path in _places(facts, name):
            row = _first_row(path)
            if row is not None:
                return _judged(row, name, place)
    raise Unavailable(
        "whether the data are conversations is not known: "
        "set `dataset_format: conversational` or `dataset_format: text` in the run file"
    )


def files(facts: Facts, endings: tuple[str, ...] = ENDINGS) -> list[Path]:
    """The local files with rows that the run names, as far as they are there: those of JSON."""
    found = []
    for name, _ in _names(facts):
        for path in _places(facts, name):
            if (file := _data_file(path, endings)) is not None:
                found.append(file.absolute())
                break
    return found


def all_files(facts: Facts) -> list[Path]:
    """The same in any format that `datasets` reads."""
    return files(facts, (*ENDINGS, *TABLES))


def columns(facts: Facts) -> list[str]:
    """The columns of the run's first rows; none where no row can be read without a library."""
    for path in all_files(facts)[:1]:
        if path.suffix == ".parquet":
            return list(features(path))
        return columns_of(_first_rows(path))
    return []


def lacking(columns: Sequence[str], facts: Facts) -> str:
    """The columns that the run's trainer needs, in words, where it has none of them."""
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable) or trainer.name not in COLUMNS_OF:
        return ""
    return lacks(columns, trainer.name, facts.run.arguments.get("dataset_text_field"))


def lines(file: Path) -> int:
    """The rows of a file with one a line; 0 where it is none."""
    if file.suffix not in (".jsonl", ".ndjson"):
        return 0
    try:
        with file.open("rb") as opened:
            rows, begun = 0, False
            while piece := opened.readline(ROW):
                begun = begun or not piece.isspace()
                if piece.endswith(b"\n"):
                    rows, begun = rows + begun, False
            return rows + begun
    except OSError:
        return 0


def standing(facts: Facts, name: str) -> Path | None:
    """The file or folder that a name stands for, None where there is nothing."""
    for path in _places(facts, name):
        try:
            if path.exists():
                return path
        except (OSError, ValueError):  # too long, or with a zero byte
            continue
    return None


def absent(name: str) -> Unavailable:
    """Why nothing is known of a data set by that name."""
    return Unavailable(f"{name:.60} is not on this machine, and rows on the Hub are not read")


def _places(facts: Facts, name: str) -> list[Path]:
    """Where a file of that name may lie."""
    try:
        path = Path(name).expanduser()
    except RuntimeError:  # the home folder of nobody
        return []
    return [root / path for root in facts.run.roots]


def _names(facts: Facts) -> list[tuple[str, Place]]:
    """The local data files that the run names, as TRL's script arguments do."""
    run, found = facts.run, list[tuple[str, Place]]()
    name = run.arguments.get("dataset_name")
    if isinstance(name, str):
        found.append((name, run.place("dataset_name")))
    mixture = run.arguments.get("datasets")
    for number, item in enumerate(mixture if isinstance(mixture, list) else ()):
        files = item.get("data_files", item.get("path")) if isinstance(item, dict) else None
        if isinstance(files, str):
            found.append((files, run.place("datasets", number)))
    return found


def _data_file(path: Path, endings: tuple[str, ...] = ENDINGS) -> Path | None:
    """A file of rows: the path, or the first one in the folder that it is, of training if any."""
    try:
        if path.is_dir():
            inside = (file for file in path.iterdir() if file.suffix in endings)
            path = min(inside, key=lambda file: ("train" not in file.name, file.name))
        return path if path.suffix in endings and path.is_file() else None
    except (OSError, ValueError):
        return None


def _first_row(path: Path) -> dict[str, Json] | None:
    found = _data_file(path, (*ENDINGS, ".csv", ".tsv", ".parquet"))
    return next(iter(_first_rows(found)), None) if found else None


def _first_rows(file: Path) -> list[dict[str, Json]]:
    """The rows in the first part of a file that can be read without a library.

    Of a Parquet file one row that has its columns, and conversations where those are.
    """
    try:
        if file.suffix == ".parquet":
            said: dict[str, Json] = {}
            for name, parts in parquet.columns(file).items():
                said[name] = [{"role": "", "content": ""}] if {*parts} >= TURN else ""
            return [said] if said else []
        with file.open("rb") as opened:
            text = opened.read(ROW)
        if file.suffix in (".csv", ".tsv"):
            return _of_csv(text.decode(), "\t" if file.suffix == ".tsv" else ",")
        if text.lstrip()[:1] == b"[":
            found = msgspec.json.decode(text)
        else:
            lines = [line for line in text.split(b"\n") if line.strip()]
            found = [msgspec.json.decode(line) for line in (lines[:-1] or lines)[:SAMPLE]]
    except (OSError, ValueError, RecursionError, csv.Error):  # msgspec's errors are a ValueError
        return []
    return found if all(isinstance(row, dict) for row in found) else []


def _of_csv(text: str, comma: str) -> list[dict[str, Json]]:
    """The first row of a table with a head."""
    reader = csv.reader(io.StringIO(text), delimiter=comma)
    head = next(reader, [])
    return [dict(zip(head, next(reader, head), strict=False))]


def _judged(row: dict[str, Json], name: str, place: Place) -> Kind:
    for column in COLUMNS:
        value = row.get(column)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return Kind(True, f"the first row of {name} has a conversation in {column}", place)
    return Kind(False, f"the first row of {name} has no conversation", place)
