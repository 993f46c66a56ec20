"""The options that a script gives to Slurm: `#SBATCH --nodes=2`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

LINE = re.compile(r"[ \t]*#SBATCH[ \t]+(.*)")
WORD = re.compile(r"(?:[^\s\"']|\"[^\"]*\"|'[^']*')+")
NAME = re.compile(r"--[\w-]+|-[A-Za-z]")
HERE = re.compile(r"<<-?[ \t]*[\"']?(\w+)[\"']?.*?^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)
"""A here-document, from its mark to its end."""

COMPONENTS = ("hetjob", "packjob")
"""What separates the parts of a job whose nodes differ."""


class Directive(Struct, frozen=True):
    """An option with its value, "" for none, and its place, both from 1."""

    name: str
    value: str
    line: int
    column: int


def of_job(text: str) -> list[Directive]:
    """The options that Slurm reads of a script: those above its first command."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if _is_command(line)), len(lines))
    return list(_of_lines(lines[:first]))


def unread(text: str) -> list[Directive]:
    """The options below the first command of a job, which Slurm does not read.

    Those of a here-document are for another job. Of an option that stands above, too, the job has
    a value, and the other one may be left over.
    """
    read = {option.name for option in of_job(text)}
    lines = HERE.sub(lambda match: re.sub(r"[^\n]", "#", match[0]), text).split("\n")
    first = next((at for at, line in enumerate(lines) if _is_command(line)), len(lines))
    below = ["" if at <= first or line[:1].isspace() else line for at, line in enumerate(lines)]
    return [one for one in _of_lines(below) if one.name not in read]


def directives(text: str) -> list[Directive]:
    """The options of a script; of one that is no job those of the text that it may submit."""
    return of_job(text) or list(_of_lines(text.split("\n")))


def values(options: Sequence[Directive], *names: str) -> list[str]:
    """What the options of these names are given, in their order."""
    return [option.value for option in options if option.name in names]


def _is_command(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def _of_lines(lines: Sequence[str]) -> Iterator[Directive]:
    for number, line in enumerate(lines, 1):
        if match := LINE.match(line):
            yield from _of_words(list(WORD.finditer(line, match.start(1))), number)


def _of_words(words: Sequence[re.Match[str]], line: int) -> Iterator[Directive]:
    """The options of one line, up to its comment."""
    for at, word in enumerate(words):
        name = NAME.match(word[0])
        if word[0].startswith("#"):
            return
        if name is None and word[0] not in COMPONENTS:
            continue
        named = name[0] if name else word[0]
        value = word[0][len(named) :].removeprefix("=")
        behind = words[at + 1][0] if at + 1 < len(words) and "=" not in word[0] else ""
        if not value and not behind.startswith(("-", "#")):
            value = behind
        yield Directive(named, value.strip("\"'"), line, word.start() + 1)
