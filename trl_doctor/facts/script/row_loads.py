"""How a script calls `load_dataset`."""

from __future__ import annotations

from collections.abc import Iterator

from trl_doctor.facts.passed import RowLoad
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.values import LibraryObject, Many, Table, Value, text_in

LOADS = "datasets.load_dataset"
ONLY = frozenset({"path", "name", "data_files", "split", "streaming", "num_proc", "cache_dir"})
"""Arguments beside which nothing says which files are read."""


def row_loads(reading: Reading, places: Places) -> Iterator[RowLoad]:
    """Its calls, whatever happens, in their order."""
    for made in reading.made:
        if made.of != LOADS or made.base is not None or made.guards or made.tried:
            continue
        if made.rest is not None or any(word.perhaps for word in made.keywords.values()):
            continue
        split = made.keywords.get("split")
        files = made.argument("data_files")
        yield RowLoad(
            text_in(made.argument("path", 0)),
            text_in(made.argument("name", 1)),
            by_split(files),
            text_in(split.value if split else None),
            places.place("", made.span),
            places.place("", (split.name or split.whole) if split else made.span),
            closed=is_closed(made, files),
        )


def is_closed(call: LibraryObject, files: Value | None) -> bool:
    """Whether its splits are those of its `data_files`, and all of these are known."""
    if not (ONLY.issuperset(call.keywords) and len(call.arguments) < 3):
        return False
    return files is None or bool(by_split(files))


def by_split(files: Value | None) -> dict[str, tuple[str, ...]]:
    """The files by their splits: those without one are `train`. Empty if one is not known."""
    if not isinstance(files, Table):
        names = texts(files)
        return {"train": names} if names else {}
    if files.rest is not None:
        return {}
    found = {}
    for split, entry in files.entries.items():
        names = texts(entry.value)
        if entry.perhaps or not isinstance(split, str) or not names:
            return {}
        found[split] = names
    return found


def texts(value: Value | None) -> tuple[str, ...]:
    """A text, or the texts of a list; empty if one of them is not known."""
    if isinstance(value, Many):
        names = [text_in(item) for item in value.items]
        return tuple(names) if all(names) and not value.grows else ()
    name = text_in(value)
    return (name,) if name else ()
