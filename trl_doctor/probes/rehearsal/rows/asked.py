"""What is known of a data set that the script has asked for, and of an error in loading it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ...reading import texts

FIRST = 8
"""Rows that are looked at."""


def columns_of(data: Any) -> Any:
    names = getattr(data, "column_names", None)
    return (
        sorted({column for part in names.values() for column in part or ()})
        if isinstance(names, dict)
        else names
    )


def is_remote(error: BaseException) -> bool:
    """Whether an error says that something would have to come from elsewhere."""
    message = f"{type(error).__name__}: {error}"
    words = ("offline", "Offline", "Hub", "ConnectionError", "couldn't be found", "Couldn't reach")
    return any(word in message for word in words)


def undecoded(streamed: Any) -> bool:
    """Whether a stream, or one of several splits, may have texts of JSON that are none in the job.

    A file that is one array of JSON has no features while it is streamed. `datasets` then does not
    decode the values that it has written as JSON, because they differ from row to row.
    """
    parts = streamed.values() if isinstance(streamed, dict) else (streamed,)
    return any(part.features is None and any(_objects(part)) for part in parts)


def _objects(rows: Any) -> Iterator[bool]:
    for row in itertools.islice(iter(rows), FIRST):
        yield any(text.lstrip().startswith(("{", "[{")) for text in texts(row))
