"""Variables that a launch file sets, and that a file which it starts does not get."""

from __future__ import annotations

import re
from pathlib import Path

from trl_doctor.facts.facts import Facts
from trl_doctor.files.launch.shell.variables import Word
from trl_doctor.files.regular import text_of

OTHERS = re.compile(
    r"^\s*(?:source|\.)\s+(?!.*(?:activate|bashrc|profile|conda\.sh)\b)", re.MULTILINE
)
"""A line that reads another file, which may set them."""


def unexported(facts: Facts) -> list[tuple[str, int, Word]]:
    """The variables that the started file names and does not set, with the line and the value."""
    launch = facts.run.target.launch
    if launch is None or not launch.file or not launch.withheld:
        return []
    try:
        lines = text_of(Path(launch.file), "replace").splitlines()
    except OSError:
        return []
    lines = ["" if line.lstrip().startswith("#") else line for line in lines]
    if any(map(OTHERS.match, lines)):
        return []
    found = []
    for name, word in launch.withheld.items():
        sets = re.compile(rf"\b{name}\+?=|\b(?:for|read)\b[^\n]*\b{name}\b")
        names = re.compile(rf"\$\{{?{name}\b")
        at = next((number for number, line in enumerate(lines, 1) if names.search(line)), 0)
        if at and not any(map(sets.search, lines)):
            found.append((name, at, word))
    return found
