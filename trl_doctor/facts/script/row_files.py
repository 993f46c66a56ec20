"""The local files from which a script loads its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trl_doctor.facts.script.data import FILES
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.values import LibraryObject, Many, Plain, Span, Table, Value

LOADERS = re.compile(
    r"datasets\.(load_from_disk|(Dataset|DatasetDict|IterableDataset)\.(from_(json|csv|parquet|text)"
    r"|load_from_disk))|pandas\.read_(json|csv|parquet|table|excel|pickle)"
)
"""Calls whose first value is a file or a folder."""

FIRST = ("path_or_paths", "dataset_path", "dataset_dict_path", "path_or_buf", "filepath_or_buffer",
         "path", "io")  # fmt: skip

MAY_WRITE = re.compile(
    r"\.to_(json|csv|parquet|pickle|excel)\(|save_to_disk|open\([^)\n]*['\"][wax]|\.write\w*\("
    r"|writer|dump\(|chdir|subprocess|os\.system|popen|urlretrieve|requests\.|download\w*\("
    r"|\bwget\b|\bgdown\b|\bcurl\b|shutil|extractall|unpack_archive|symlink"
    r"|^\s*!(?!\s*(pip|uv|nvidia-smi)\b)|^\s*%(cd|%\w|env|sx|system|run)",
    re.MULTILINE | re.IGNORECASE,
)
"""What may write a file, or start it from another folder."""


def row_files(reading: Reading) -> Iterator[tuple[str, Span]]:
    """The names that the script surely loads, in the order of their calls.

    Nothing if the script may write files itself, or change its folder.
    """
    if any(MAY_WRITE.search(piece.text) for piece in reading.state.pieces):
        return
    for made in reading.made:
        if made.guards or made.tried or made.rest is not None or made.base is not None:
            continue
        for value in _files(made):
            for name in _texts(value):
                yield name, value.span or made.span


def _files(call: LibraryObject) -> Iterator[Value]:
    if call.of == "datasets.load_dataset":
        builder, files = call.argument("path", 0), call.argument("data_files")
        reads_files = isinstance(builder, Plain) and builder.value in FILES
        if reads_files and files is not None and call.argument("data_dir") is None:
            yield files
    elif LOADERS.fullmatch(call.of):
        values = [call.argument(name) for name in FIRST] + call.arguments[:1]
        yield from [value for value in values if value is not None][:1]


def _texts(value: Value) -> Iterator[str]:
    """The names in a text, or in a list or a dictionary of texts."""
    if isinstance(value, Plain) and isinstance(value.value, str):
        yield value.value
    elif isinstance(value, Many) and not value.grows:
        for item in value.items:
            yield from _texts(item)
    elif isinstance(value, Table):
        for entry in value.entries.values():
            if not entry.perhaps:
                yield from _texts(entry.value)
