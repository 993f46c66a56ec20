"""The instructions of a Dockerfile, and the trainings that its container starts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from msgspec import Struct

from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.launches import launches, of_words
from trl_doctor.files.launch.shell.variables import Shell, Word
from trl_doctor.files.launch.shell.words import commands

INSTRUCTION = re.compile(r"[ \t]*([A-Za-z]+)[ \t]+(.*)")
COMMENT = re.compile(r"[ \t]*#")
DOCUMENT = re.compile(r"<<-?[ \t]*[\"']?(\w+)[\"']?")
"""The head of a here-document, and the word that ends it."""

FILLED = "_FILLED"
"""A variable of our own that takes a value of a Dockerfile as a shell reads it."""


class Instruction(Struct, frozen=True):
    """An instruction by its name in capitals, its argument, and the line that it begins on.

    The argument has a space for the end of each line that goes on, and its here-documents.
    """

    name: str
    argument: str
    line: int


def instructions(text: str) -> Iterator[Instruction]:
    """The instructions of a Dockerfile: comments may stand between the lines of one."""
    lines = list(enumerate(text.splitlines(), 1))[::-1]
    while lines:
        number, line = lines.pop()
        found = INSTRUCTION.match(line)
        if COMMENT.match(line) or not found:
            continue
        name, argument = found[1].upper(), found[2]
        while argument.rstrip().endswith("\\") and lines:
            argument = argument.rstrip()[:-1]
            while lines and (COMMENT.match(lines[-1][1]) or not lines[-1][1].strip()):
                lines.pop()
            argument += f" {lines.pop()[1]}" if lines else ""
        for end in DOCUMENT.findall(argument) if name in ("RUN", "COPY", "ADD") else ():
            while lines and lines[-1][1].strip() != end:
                argument += f"\n{lines.pop()[1]}"
            argument += f"\n{lines.pop()[1]}" if lines else ""
        yield Instruction(name, argument.strip(), number)


def in_dockerfile(text: str) -> Iterator[Launch]:
    """What each stage starts: its ENTRYPOINT with the words of its CMD, or its CMD alone."""
    shell, entry, started = Shell(), list[Word](), list[Launch]()
    for instruction in instructions(text):
        name, argument, line = instruction.name, instruction.argument, instruction.line
        if name in ("ENV", "ARG"):
            for variable, value in re.findall(r"([A-Za-z_]\w*)[= ]\"?([^\s\"]+)\"?", argument):
                shell.variables[variable] = _filled(value, shell, line)
        elif name == "FROM":
            yield from started
            entry, started = [], []
        elif name not in ("ENTRYPOINT", "CMD"):
            continue
        elif (words := _listed(argument, line)) is None:
            started = list(launches(argument, shell.inner(), Cluster(), line))
        else:
            entry = words if name == "ENTRYPOINT" else entry
            whole = entry if name == "ENTRYPOINT" else [*entry, *words]
            started = list(of_words(whole, shell, Cluster()))
    yield from started


def _filled(value: str, shell: Shell, line: int) -> list[Word] | None:
    """A value of a Dockerfile with the variables that were set before; None if one is unknown."""
    inner = shell.inner()
    for _ in commands(f"{FILLED}={value}", inner, line):
        pass
    return inner.variables.get(FILLED)


def _listed(text: str, line: int) -> list[Word] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return None
    return [Word(item, line, 1, bare=False) for item in value]
