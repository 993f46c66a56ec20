"""The first row of a run, as text: spaces and line ends at the borders of its parts are visible."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trl_doctor.checkup.first_row import FirstRow
from trl_doctor.core.plain import plain
from trl_doctor.reports.style import Style, wrapped

LONGEST = 400
"""Characters of a part that are shown; -v shows all that is known."""
MOST = 8
"""Parts that are shown; -v shows all."""
SPACES_AROUND = re.compile(r"^ +| +$")


def lines(row: FirstRow, style: Style) -> Iterator[str]:
    """The row with its title, one line for each line of its text."""
    yield from wrapped(plain(row.title), style.width, "", "  ")
    shown = row.parts if style.verbose else row.parts[:MOST]
    width = max(len(part.label) for part in row.parts)
    for part in shown:
        text = part.text if style.verbose else shortened(part.text)
        colour = "good" if part.learned else "dim"
        for number, piece in enumerate(broken(text, style.width - width - 3)):
            label = f"{'' if number else part.label:<{width}}"
            yield f"  {style.paint(label, 'dim')} {style.paint(piece, colour)}".rstrip()
    if left_out := len(row.parts) - len(shown):
        yield f"  and {left_out} more parts (-v)"


def shortened(text: str) -> str:
    """The beginning and the end of a long text."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]}[… {len(text) - 2 * half:,} characters, -v shows more …]{text[-half:]}"


def broken(text: str, width: int) -> Iterator[str]:
    """The text's own lines, and pieces of those that are too wide; an empty text is one line."""
    for line in visible(text).split("\n"):
        while len(line) > width:
            at = line.rfind(" ", width // 2, width) + 1 or width
            yield line[:at]
            line = line[at:]
        yield line


def visible(text: str) -> str:
    """The text with its line ends as ↵, and with the spaces at its beginning and end as ␣."""
    text = SPACES_AROUND.sub(lambda spaces: "␣" * len(spaces.group()), text)
    ended = "\n".join(map(plain, text.split("\n"))).replace("\n", "↵\n")
    return ended.removesuffix("\n")
