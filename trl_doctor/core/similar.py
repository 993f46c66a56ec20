"""Words that are written almost like another one."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 200
"""Characters; a longer text is no misspelt name, and comparing it would take minutes."""


def similar(word: str, names: Iterable[str], most: int = 1, alike: float = 0.6) -> list[str]:
    """The names that are most like a word; `alike` is from 0 to 1, and 1 means equal."""
    from difflib import get_close_matches

    if len(word) > LONGEST:
        return []
    return get_close_matches(word, [name for name in names if len(name) <= LONGEST], most, alike)
