"""The answer of the probe `script_rows`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ScriptRows:
    """The first rows that a script makes, as JSON, and how many there are; None if not known."""

    rows: tuple[Mapping[str, Any], ...]
    total: int | None
