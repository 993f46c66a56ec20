"""How text is laid out: colours, the width of the terminal, lines that break between words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

COLOURS = {"error": "31", "warning": "33", "note": "36", "good": "32", "dim": "2", "bold": "1"}
WIDTH, NARROWEST, WIDEST = 100, 40, 140
"""The width without a terminal, and the limits for very narrow and very wide terminals."""

WORD = re.compile(r"(?:`[^`\n]*`|--[\w-]+ [^\s`(-]\S*|[^\s`]|`)+")
"""A word; an option with its value and all between backticks is one, so that it can be pasted."""


COLOURED = re.compile(r"\x1b\[\d*m")


class Style(Struct, frozen=True):
    """How to show a report: with colours or without, how wide, how much of it."""

    colour: bool = False
    width: int = WIDTH
    verbose: bool = False
    quiet: bool = False
    statistics: bool = False

    def paint(self, text: str, name: str) -> str:
        """The text in a colour, where there are colours."""
        return f"\x1b[{COLOURS[name]}m{text}\x1b[0m" if self.colour else text


def terminal_width() -> int:
    """The width of the terminal, where there is one."""
    import shutil

    columns = shutil.get_terminal_size((WIDTH, 24)).columns
    return max(NARROWEST, min(columns, WIDEST))


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> Iterator[str]:
    """Lines of at most `width` characters, begun by `first` and then by `rest`.

    A word that is longer has a line of its own and is not broken. Colours take no room.
    """
    line, empty = first, True
    for word in WORD.findall(text):
        if not empty and len(COLOURED.sub("", f"{line} {word}")) > width:
            yield line
            line, empty = rest, True
        line += word if empty else f" {word}"
        empty = False
    yield line


def plural(number: int, noun: str) -> str:
    """The noun, with an s unless the number is one."""
    return noun if number == 1 else noun + "s"
