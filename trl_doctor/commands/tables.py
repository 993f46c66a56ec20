"""Tables on a terminal: where it is too narrow, a paragraph for each row."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from trl_doctor.reports.style import terminal_width, wrapped


def table(rows: Sequence[Sequence[str]], headers: Sequence[str]) -> str:
    """A table; on a terminal that is too narrow for it, the last column below the others.

    A file or another program always gets one line for each row.
    """
    from tabulate import tabulate

    text = tabulate(rows, headers=headers)
    width = terminal_width()
    if not sys.stdout.isatty() or max(map(len, text.splitlines())) <= width:
        return text
    return "\n".join(line for row in rows for line in _paragraph(row, headers, width))


def _paragraph(row: Sequence[str], headers: Sequence[str], width: int) -> Iterator[str]:
    *others, last = row
    pairs = zip(others, headers, strict=False)
    parts = [
        header if value == "yes" else value for value, header in pairs if value not in ("", "–")
    ]
    yield from wrapped(" · ".join(parts), width, "", "    ")
    yield from wrapped(last, width, "  ", "  ")


def by_name(values: Mapping[str, str]) -> str:
    """A line for each name with its value; on a terminal the values are wrapped."""
    most = max(map(len, values), default=0) + 2
    width = terminal_width() if sys.stdout.isatty() else 10**6
    lines = (
        line
        for name, value in values.items()
        for line in wrapped(value, width, f"{name:<{most}}", " " * most)
    )
    return "\n".join(line.rstrip() for line in lines)
