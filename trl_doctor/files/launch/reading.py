"""Reads a launch file of any form: which lines of it start a training."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from msgspec.structs import replace

from trl_doctor.core.finding import Json, pointer
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.formats.text import Invalid, decoded
from trl_doctor.files.launch import forms
from trl_doctor.files.launch.cluster import Cluster, of_slurm, of_yaml
from trl_doctor.files.launch.launches import Launch, launches, of_words
from trl_doctor.files.launch.variables import Shell, Word
from trl_doctor.files.launch.words import commands

YAML = ("a Kubernetes file", "a task of SkyPilot", "a Docker Compose file")
INSTRUCTION = re.compile(r"^[ \t]*(ENV|ARG|ENTRYPOINT|CMD)\s+(.*)$", re.MULTILINE)
FILLED = "_FILLED"
"""A variable of our own that takes a value of a Dockerfile as a shell reads it."""

INLINE = re.compile(r"^[^\s#:=][^:=#]*:(?![:=])[^;#]*;")
"""A target of a Makefile with its recipe in the same line."""

COMMANDS = ("command", "entrypoint", "args")
ASSIGNED = re.compile(r"^([A-Za-z_]\w*)\s*[:?+]?=\s*(.*)$", re.MULTILINE)
NOTHING: Mapping[str, str] = MappingProxyType({})
Route: TypeAlias = tuple[str | int, ...]


def read_launches(
    path: Path, data: bytes, kind: str, given: Mapping[str, str] = NOTHING
) -> list[Launch]:
    """The lines that start a training; raises `document.Unreadable`.

    `given` are the variables with which a shell starts; what the file sets wins.
    """
    if kind in YAML:
        return [
            launch for part in _documents(data) for launch in _in_yaml(document.parse(path, part))
        ]
    try:
        text = decoded(data)
    except Invalid as error:
        raise document.Unreadable(path, error.flaw, error.problem, error.at) from None
    cluster = of_slurm(text)
    start = {**given, **cluster.variables}
    shell = Shell({name: [Word(value, 0, 0)] for name, value in start.items()})
    if kind == "a Makefile":
        return list(launches(_recipes(text, shell), shell, cluster))
    if kind == "a Dockerfile":
        return list(_in_dockerfile(text))
    return [replace(launch, cluster=cluster) for launch in launches(text, shell, cluster)]


def again(path: Path, data: bytes, launch: Launch) -> Launch | None:
    """The same line of a launch file as it is in other bytes; raises `document.Unreadable`."""
    launches = read_launches(path, data, forms.form(path, data[: forms.HEAD]))
    this = launch.line, launch.script, launch.command
    return next(
        (
            candidate
            for candidate in launches
            if (candidate.line, candidate.script, candidate.command) == this
        ),
        None,
    )


def _documents(data: bytes) -> Iterator[bytes]:
    """The documents of a YAML file, each on its own lines: the lines before it are empty."""
    starts = [match.start() for match in re.finditer(rb"^---(?=\s|$)", data, re.MULTILINE)]
    for start, end in pairwise([0, *starts, len(data)]):
        if re.search(rb"^[^\s#-]", part := data[start:end], re.MULTILINE):
            yield b"\n" * data.count(b"\n", 0, start) + part


def _recipes(text: str, shell: Shell) -> str:
    """A Makefile's recipes as shell text, on their own lines."""
    for name, value in ASSIGNED.findall(text):
        shell.variables.setdefault(name, [Word(value.strip(), 0, 0)] if "$(" not in value else None)
    lines, inside = [], False
    for line in text.split("\n"):
        if inline := INLINE.match(line):
            line = "\t" + " " * (inline.end() - 1) + line[inline.end() :]
        if line.startswith("\t") or inside:
            plain = re.sub(r"\$\((\w+)\)", r"${\1}", line).replace("$$", "$")
            lines.append(re.sub(r"^(\t?)[@+-]+", r"\1", plain))
            inside = line.rstrip().endswith("\\")
        else:
            lines.append("")
    return "\n".join(lines)


def _in_dockerfile(text: str) -> Iterator[Launch]:
    shell, entry = Shell(), list[Word]()
    joined = re.sub(r"\\\r?\n", lambda match: " " * len(match.group()), text)
    for instruction in re.finditer(INSTRUCTION, joined):
        line = text.count("\n", 0, instruction.start()) + 1
        argument = instruction[2].strip()
        if instruction[1] in ("ENV", "ARG"):
            for name, value in re.findall(r"([A-Za-z_]\w*)[= ]\"?([^\s\"]+)\"?", argument):
                shell.variables[name] = _filled(value, shell, line)
            continue
        words = _listed(argument, line)
        if words is None:
            yield from launches(argument, shell.inner(), Cluster(), line)
        elif instruction[1] == "ENTRYPOINT":
            entry = words
            if any(word.text.endswith(".py") for word in words) or words[0].text == "trl":
                yield from of_words(words, shell, Cluster())
        else:
            yield from of_words([*entry, *words], shell, Cluster())


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


def _in_yaml(file: Document) -> Iterator[Launch]:
    shell = Shell()
    for name, value in _variables(file.value):
        shell.variables[name] = [Word(value, 0, 0)]
    cluster = of_yaml(file.value)
    for name, count in (("NUM_GPUS_PER_NODE", cluster.gpus_per_node), ("NUM_NODES", cluster.nodes)):
        if count:
            shell.variables[f"SKYPILOT_{name}"] = [Word(str(count), 0, 0)]
    for words in _commands(file.value, ()):
        keys, text = words[0]
        if len(words) == 1:
            first = _first_line(file, file.position(pointer(*keys)).line, text)
            started = launches(text, shell.inner(), cluster, first)
        else:
            started = of_words([_word(file, shell, *word) for word in words], shell, cluster)
        yield from (replace(launch, cluster=cluster) for launch in started)


def _expanded(text: str, shell: Shell) -> str:
    """Kubernetes replaces `$(NAME)` of a variable of the container; others stay as they are."""
    return re.sub(r"\$\((\w+)\)", lambda match: shell.value(match[1]) or match[0], text)


def _first_line(file: Document, line: int, text: str) -> int:
    """The line of the file that contains the first line of a block of text."""
    start = next((line_ for line_ in text.split("\n") if line_.strip()), "").strip()
    skipped = text[: text.find(start)].count("\n") if start else 0
    for number in range(line, line + 30):
        if start and start in file.line_text(number):
            return number - skipped
    return line


def _commands(value: Json, keys: Route) -> Iterator[list[tuple[Route, str]]]:
    """The commands under the keys that contain them, each as words, or as one text of shell."""
    if isinstance(value, dict):
        words = [
            word
            for name in COMMANDS
            if name in value
            for word in _texts(value[name], (*keys, name))
        ]
        if words:
            yield words
        if isinstance(value.get("run"), str):
            yield [((*keys, "run"), str(value["run"]))]
        for name, inner in value.items():
            if name not in COMMANDS:
                yield from _commands(inner, (*keys, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _commands(inner, (*keys, number))


def _texts(value: Json, keys: Route) -> list[tuple[Route, str]]:
    """The words of a command with their places; nothing if it is none."""
    if isinstance(value, str):
        return [(keys, value)]
    if not isinstance(value, list) or not all(
        isinstance(item, str | int | float) for item in value
    ):
        return []
    return [((*keys, number), str(item)) for number, item in enumerate(value)]


def _word(file: Document, shell: Shell, keys: Route, text: str) -> Word:
    at = file.value_position(pointer(*keys))
    line = _first_line(file, at.line, text) if "\n" in text else at.line
    return Word(_expanded(text, shell), line, at.column, bare=False)


def _variables(value: Json) -> Iterator[tuple[str, str]]:
    """Environment variables of Kubernetes (`env`), SkyPilot (`envs`) and Compose."""
    if isinstance(value, dict):
        for name in ("envs", "environment", "env"):
            variables = value.get(name)
            if isinstance(variables, dict):
                yield from ((key, str(text)) for key, text in variables.items() if text is not None)
            for variable in variables if isinstance(variables, list) else ():
                if isinstance(variable, dict) and isinstance(variable.get("value"), str):
                    yield str(variable.get("name")), str(variable["value"])
        for inner in value.values():
            yield from _variables(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _variables(inner)
