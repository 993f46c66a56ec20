"""Where a word of a command is written in its file.

The place of a word inside quotation marks or a block of YAML counts from the start of that text, on
its first line: the word itself is further on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from trl_doctor.files.launch.shell.variables import Word

FURTHER = 40
"""Lines after the first one of a text in which a word is searched."""


def written(word: Word, lines: Sequence[str]) -> Word:
    """The word with the place where it is written; as it is if it is not found there or later."""
    option = word.text.partition("=")[0] if word.text.startswith("--") else word.text
    if not option or word.line < 1:
        return word
    first = lines[word.line - 1] if word.line <= len(lines) else ""
    here = first[word.column - 1 :]
    if here.lstrip("\"'").startswith(option) or here.lstrip("\"'").startswith(("$", "{{")):
        return word
    for number in range(word.line, min(word.line + FURTHER, len(lines) + 1)):
        if match := re.search(alone(option), lines[number - 1]):
            return replace(word, line=number, column=match.start() + 1)
    return word


def alone(option: str) -> str:
    """A pattern of an option that is no part of a longer word."""
    return rf"(?<![\w-]){re.escape(option)}(?![\w-])"
