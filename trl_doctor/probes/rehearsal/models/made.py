"""Models that are made by a name alone: their folders, and what a token of theirs is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

MADE = "made-"
"""How their folders begin."""

BYTES = 4
"""Their tokens are bytes: so many make a token of a usual tokenizer."""


def is_made(tokenizer: Any) -> bool:
    """Whether a tokenizer is that of such a model."""
    folder = Path(str(getattr(tokenizer, "name_or_path", "")))
    return any(part.startswith(MADE) for part in folder.parts)
