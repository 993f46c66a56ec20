"""Text and paths from a user's files, as they can be shown to a person."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

LONGEST = 2000
"""Characters of a text that are shown."""

_UNUSUAL = re.compile(r"[^\n -~]+")


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


def excerpt(text: str, most: int = 60) -> str:
    """The text; of one with more than `most` characters the first words and "…"."""
    if len(text) <= most:
        return text
    at = max(text.rfind(space, most // 2, most - 1) for space in " \n\t")
    return f"{text[: at if at > 0 else most - 2].rstrip()} …"


def json_escaped(text: str) -> str:
    """JSON text in which every character that can control a terminal is written as an escape.

    A line feed stays: JSON has it only between values.
    """
    return _UNUSUAL.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    text = match.group()
    return text if text.isprintable() else "".join(map(_escaped, text))


@lru_cache(maxsize=1024)
def _escaped(char: str) -> str:
    return char if char.isprintable() else json.dumps(char)[1:-1]


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: "a, b and c"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1] if names else "")))


def shown(path: Path) -> str:
    """A path for a person: relative if it is below the working folder."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)
