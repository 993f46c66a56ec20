"""Text and paths from a user's files, as they can be shown to a person."""

from __future__ import annotations

from pathlib import Path

LONGEST = 2000
"""Characters of a text that are shown."""


def plain(text: str) -> str:
    """Text from a user's file, made safe for a terminal: control characters are escaped.

    Of a text longer than `LONGEST` characters the beginning is shown.
    """
    shown = text if len(text) <= LONGEST else text[:LONGEST] + "…"
    if shown.isprintable():
        return shown
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in shown
    )


def shown(path: Path) -> str:
    """A path as a person would write it: relative where it lies below the working folder."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)
