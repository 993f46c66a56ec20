"""A command that ends before its options do: what the shell takes for the next command."""

from __future__ import annotations

import re

from trl_doctor.files.launch.shell.variables import Word

OPTION = re.compile(r"--?[A-Za-z]")


def is_option(first: Word) -> bool:
    """Whether the first word of a command is an option: no program has such a name."""
    return first.bare and not first.open and OPTION.match(first.text) is not None


def ended_by(text: str, line: int) -> str:
    """What ended the command above this line of the text, counted from 0."""
    above = text.split("\n")[line - 1] if line > 0 else ""
    if above.lstrip().startswith("#"):
        return "a comment"
    return "a blank behind the backslash" if above.rstrip().endswith("\\") else "no backslash"
