"""The trainings that the container of a Dockerfile starts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.launches import launches, of_words
from trl_doctor.files.launch.shell.variables import Shell, Word
from trl_doctor.files.launch.shell.words import commands

INSTRUCTION = re.compile(r"^[ \t]*(FROM|ENV|ARG|ENTRYPOINT|CMD)\s+(.*)$", re.MULTILINE)
FILLED = "_FILLED"
"""A variable of our own that takes a value of a Dockerfile as a shell reads it."""


def in_dockerfile(text: str) -> Iterator[Launch]:
    """What each stage starts: its ENTRYPOINT with the words of its CMD, or its CMD alone."""
    shell, entry, started = Shell(), list[Word](), list[Launch]()
    joined = re.sub(r"\\\r?\n", lambda match: " " * len(match.group()), text)
    for instruction in re.finditer(INSTRUCTION, joined):
        line = text.count("\n", 0, instruction.start()) + 1
        name, argument = instruction[1], instruction[2].strip()
        if name in ("ENV", "ARG"):
            for variable, value in re.findall(r"([A-Za-z_]\w*)[= ]\"?([^\s\"]+)\"?", argument):
                shell.variables[variable] = _filled(value, shell, line)
        elif name == "FROM":
            yield from started
            entry, started = [], []
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
