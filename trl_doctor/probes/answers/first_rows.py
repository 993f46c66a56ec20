"""The answer of the probe `first_rows`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a file, as JSON: what is no JSON is a text in its place."""

    rows: tuple[Mapping[str, Any], ...]
