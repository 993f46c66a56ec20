"""Streams of rows whose nested values are texts of JSON, and are none in the job.

A file that is one array of JSON has no features while it is streamed. `datasets` then does not
decode the values that it has written as JSON, because they differ from row to row.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ...reading import texts

FIRST = 8
"""Rows that are looked at."""


def undecoded(streamed: Any) -> bool:
    """Whether a stream, or one of several splits, may have such values."""
    parts = streamed.values() if isinstance(streamed, dict) else (streamed,)
    return any(part.features is None and any(_objects(part)) for part in parts)


def _objects(rows: Any) -> Iterator[bool]:
    for row in itertools.islice(iter(rows), FIRST):
        yield any(text.lstrip().startswith(("{", "[{")) for text in texts(row))
