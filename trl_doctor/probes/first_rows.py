"""The first rows of a Parquet or Arrow file, with the values that `datasets` gives them."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from .answers.first_rows import FirstRows

LARGEST = 6 * 2**20
"""Characters of JSON that all rows have together."""

AT_ONCE = 256
"""Rows that are read at once."""

SAID = ("role", "content")
"""Keys of a message that keep a null: one without a text is another message."""


def answer(request: dict[str, Any]) -> FirstRows:
    """The first rows, as many as are wanted and an answer may hold."""
    rows: list[Mapping[str, Any]] = []
    size = 0
    for row in itertools.islice(_rows(request["file"]), request["most"]):
        size += len(json.dumps(row))
        if rows and size > LARGEST:
            break
        rows.append(row)
    return FirstRows(tuple(rows))


def _rows(file: str) -> Iterator[dict[str, Any]]:
    for schema, batch in _batches(file):
        features = _features(schema)
        for row in batch.to_pylist():
            yield {name: plain(value, features.get(name)) for name, value in row.items()}


def _batches(file: str) -> Iterator[tuple[Any, Any]]:
    """The parts of a file with its schema; an Arrow file is a stream, or has an index."""
    import pyarrow

    if file.endswith(".parquet"):
        from pyarrow.parquet import ParquetFile

        parquet = ParquetFile(file)
        for batch in parquet.iter_batches(batch_size=AT_ONCE):
            yield parquet.schema_arrow, batch
        return
    with pyarrow.memory_map(file) as source:
        try:
            opened = pyarrow.ipc.open_stream(source)
        except pyarrow.ArrowInvalid:
            whole = pyarrow.ipc.open_file(source)
            opened = map(whole.get_batch, range(whole.num_record_batches))
        for batch in opened:
            for start in range(0, batch.num_rows, AT_ONCE):
                yield batch.schema, batch.slice(start, AT_ONCE)


def _features(schema: Any) -> dict[str, Any]:
    """What `datasets` has written about the columns; nothing where another program wrote them."""
    about = (schema.metadata or {}).get(b"huggingface", b"{}")
    try:
        return dict(json.loads(about)["info"]["features"])
    except (ValueError, KeyError, TypeError):
        return {}


def plain(value: Any, feature: Any = None) -> Any:
    """A value as JSON has it. In a structure what is null counts as absent, as in a row of JSON."""
    inner = feature.get if isinstance(feature, dict) else dict[str, Any]().get
    if isinstance(value, str) and inner("_type") == "Json":
        return json.loads(value)
    if isinstance(value, dict):
        return {
            key: plain(part, inner(key))
            for key, part in value.items()
            if part is not None or key in SAID
        }
    if isinstance(value, (list, tuple)):
        of_each = inner("feature") or (feature[0] if isinstance(feature, list) else None)
        return [plain(part, of_each) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    return value if value is None or isinstance(value, (str, bool, int, float)) else str(value)
