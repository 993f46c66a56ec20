"""What can be known of the data set without downloading it: conversations or plain text?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from trl_doctor.core.finding import Json, Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts

ENDINGS = (".jsonl", ".json", ".ndjson")
COLUMNS = ("messages", "conversations", "prompt", "completion", "chosen", "rejected")
"""Columns that hold a conversation (a list of role and content) or a text."""

ROW = 1024 * 1024
"""Bytes of a data file that are read to see its first row."""


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
        "whether the data are conversations is open: "
        "say `dataset_format: conversational` or `dataset_format: text` in the run file"
    )


def files(facts: Facts) -> list[Path]:
    """The local files with rows that the run names, as far as they are there."""
    found = []
    for name, _ in _names(facts):
        for path in _places(facts, name):
            if (file := _data_file(path)) is not None:
                found.append(file.absolute())
                break
    return found


def columns(facts: Facts) -> list[str]:
    """The columns of the first row of the run's own data; none where no row can be read."""
    for path in files(facts)[:1]:
        return list(_first_row(path) or ())
    return []


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
    return Unavailable(f"{name:.60} is not here, and rows on the Hub are not looked at")


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


def _data_file(path: Path) -> Path | None:
    """A file of rows: the path, or the first one in the folder that it is, of training if any."""
    try:
        if path.is_dir():
            inside = (file for file in path.iterdir() if file.suffix in ENDINGS)
            path = min(inside, key=lambda file: ("train" not in file.name, file.name))
        return path if path.suffix in ENDINGS and path.is_file() else None
    except (OSError, ValueError):
        return None


def _first_row(path: Path) -> dict[str, Json] | None:
    found = _data_file(path)
    if found is None:
        return None
    try:
        with found.open("rb") as file:
            text = file.read(ROW)
        first = text.lstrip().split(b"\n", 1)[0] if text.lstrip()[:1] != b"[" else text
        row = msgspec.json.decode(first)
    except (OSError, ValueError, RecursionError):  # msgspec's errors are a ValueError
        return None
    row = row[0] if isinstance(row, list) and row else row
    return row if isinstance(row, dict) else None


def _judged(row: dict[str, Json], name: str, place: Place) -> Kind:
    for column in COLUMNS:
        value = row.get(column)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return Kind(True, f"the first row of {name} has a conversation in {column}", place)
    return Kind(False, f"the first row of {name} has no conversation", place)
