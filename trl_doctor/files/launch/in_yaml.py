"""The trainings that a YAML file starts: Kubernetes, SkyPilot, Docker Compose, CI pipelines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from trl_doctor.core.finding import Json, pointer
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.launch.cluster import of_yaml
from trl_doctor.files.launch.launches import Launch, launches, of_words
from trl_doctor.files.launch.operators import distributed
from trl_doctor.files.launch.templates import PLACEHOLDER, plain_yaml
from trl_doctor.files.launch.variables import MARK, Inside, Shell, Word

COMMANDS = ("command", "entrypoint", "args")
SCRIPTS = ("run", "source", "script", "before_script")
"""Keys with texts for a shell: of SkyPilot and GitHub, Argo, GitLab."""

Route: TypeAlias = tuple[str | int, ...]


def in_yaml(path: Path, data: bytes) -> Iterator[Launch]:
    """The trainings of all documents of a file; a command that is there twice counts once."""
    documents = [document.parse(path, part) for part in _documents(plain_yaml(data))]
    files = {name: file for part in documents for name, file in _config_map(part)}
    for part in documents:
        known: set[tuple[object, ...]] = set()
        for launch in _in_document(part, files):
            texts = tuple(word.text or word.open for word in launch.whole)
            if (texts, launch.processes) not in known:
                known.add((texts, launch.processes))
                yield launch


def _documents(data: bytes) -> Iterator[bytes]:
    """The documents of a YAML file, each on its own lines: the lines before it are empty."""
    starts = [match.start() for match in re.finditer(rb"^---(?=\s|$)", data, re.MULTILINE)]
    for start, end in pairwise([0, *starts, len(data)]):
        if re.search(rb"^[^\s#-]", part := data[start:end], re.MULTILINE):
            yield b"\n" * data.count(b"\n", 0, start) + part


def _config_map(file: Document) -> Iterator[tuple[str, Inside]]:
    """The files that a ConfigMap contains."""
    texts = file.get("data") if file.get("kind") == "ConfigMap" else None
    for name, text in texts.items() if isinstance(texts, dict) else ():
        if isinstance(text, str):
            line = file.position(pointer("data", name)).line
            yield name, Inside(text, _first_line(file, line + 1, text))


def _in_document(file: Document, files: dict[str, Inside]) -> Iterator[Launch]:
    shell = Shell(files=dict(files))
    for name, value in [*distributed(file.value).items(), *_variables(file.value)]:
        shell.variables[name] = None if PLACEHOLDER in value else [Word(value, 0, 0)]
    cluster = of_yaml(file.value)
    for name, count in (("NUM_GPUS_PER_NODE", cluster.gpus_per_node), ("NUM_NODES", cluster.nodes)):
        if count:
            shell.variables[f"SKYPILOT_{name}"] = [Word(str(count), 0, 0)]
    for words in _commands(file.value, ()):
        keys, text = words[0]
        if len(words) == 1:
            first = _first_line(file, file.position(pointer(*keys)).line, text)
            text = text.replace(PLACEHOLDER, MARK)
            yield from launches(text, shell.inner(), cluster, first)
        else:
            yield from of_words([_word(file, shell, *word) for word in words], shell, cluster)


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
        for name in SCRIPTS:
            if isinstance(value.get(name), str):
                yield [((*keys, name), str(value[name]))]
            elif name.endswith("script"):
                yield from ([word] for word in _texts(value.get(name), (*keys, name)))
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
    text = _expanded(text, shell)
    if PLACEHOLDER not in text:
        return Word(text, line, at.column, bare=False)
    inner = text.replace(PLACEHOLDER, MARK)
    return Word("", line, at.column, "a template gives it", bare=False, marked=inner)


def _variables(value: Json) -> Iterator[tuple[str, str]]:
    """Environment variables of Kubernetes (`env`), SkyPilot (`envs`), Compose and GitLab."""
    if isinstance(value, dict):
        for name in ("envs", "environment", "env", "variables"):
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
