"""The trainings that a YAML file starts: Kubernetes, SkyPilot, Docker Compose, CI pipelines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.core.finding import Json, pointer
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.launch import azure_ml
from trl_doctor.files.launch.cluster import of_yaml
from trl_doctor.files.launch.environments import (
    Maps,
    Scope,
    for_shell,
    interpolated,
    must_give,
    unset,
)
from trl_doctor.files.launch.forms import AZURE, AZURE_ML, COMPOSE, GITHUB
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.launches import launches, of_words
from trl_doctor.files.launch.operators import distributed
from trl_doctor.files.launch.shell.sourced import env_file
from trl_doctor.files.launch.shell.variables import MARK, Inside, Shell, Word
from trl_doctor.files.launch.templates import plain_yaml, turns_of_matrix, with_values
from trl_doctor.files.unknown_word import PLACEHOLDER

COMMANDS = ("entrypoint", "command", "args")
LISTED = ("script", "before_script", "commands", "cmd", "cmds")
"""Keys with a text for a shell or a list of them: of GitLab, dstack, DVC, Taskfile."""

OF_ONE_SHELL = ("script", "before_script", "commands")
"""Keys with a list of texts that one shell runs, of GitLab and dstack: `cd` holds for the next."""

SCRIPTS = ("run", "source", "bash", "inlineScript", *LISTED)
"""All keys with texts for a shell: also of SkyPilot and GitHub, Argo, Azure."""

Route: TypeAlias = tuple[str | int, ...]
Words: TypeAlias = list[tuple[Route, str]]


def in_yaml(path: Path, data: bytes, kind: str) -> Iterator[Launch]:
    """The trainings of all documents of a file; a command that is there twice counts once."""
    data = azure_ml.filled(path, data) if kind == AZURE_ML else with_values(path, data)
    filled = turns_of_matrix(data) if kind == GITHUB else [(data, ())]
    known: set[tuple[object, ...]] = set()
    for text, turn in filled:
        for launch in _of_file(path, text, kind):
            texts = tuple(word.text or word.open for word in launch.whole)
            if (launch.line, texts, launch.processes) not in known:
                known.add((launch.line, texts, launch.processes))
                yield replace(launch, turn=turn) if turn else launch


def _of_file(path: Path, data: bytes, kind: str) -> Iterator[Launch]:
    parsed = [document.parse(path, part) for part in documents(plain_yaml(data))]
    files = {name: file for part in parsed for name, file in _config_map(part)}
    maps = dict(name for part in parsed for name in _named_map(part))
    for part in parsed:
        known: set[tuple[object, ...]] = set()
        for launch in _in_document(part, kind, files, maps):
            texts = tuple(word.text or word.open for word in launch.whole)
            if (texts, launch.processes) not in known:
                known.add((texts, launch.processes))
                yield launch


def documents(data: bytes) -> Iterator[bytes]:
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
            yield name, Inside(text, first_line(file, line + 1, text))


def _named_map(file: Document) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """The data of a ConfigMap, with its name."""
    about, texts = file.get("metadata"), file.get("data")
    if file.get("kind") == "ConfigMap" and isinstance(about, dict) and isinstance(texts, dict):
        yield str(about.get("name")), texts


def _in_document(
    file: Document, kind: str, files: dict[str, Inside], maps: Maps
) -> Iterator[Launch]:
    shell, value, cluster = (
        Shell(files=dict(files), launcher=file.path),
        file.value,
        of_yaml(file.value),
    )
    set_by_user = Shell()
    if kind == COMPOSE:
        beside = env_file(str(file.path.parent / ".env"), file.path)
        set_by_user = Scope(beside).shell(Shell())
        value = interpolated(value, set_by_user)
    given = distributed(value)
    for name, count in (("NUM_GPUS_PER_NODE", cluster.gpus_per_node), ("NUM_NODES", cluster.nodes)):
        if count:
            given[f"SKYPILOT_{name}"] = str(count)
    walk, shells = _Walk(maps, file.path), dict[Route, Shell]()
    for words, scope in walk.commands(value, (), Scope(given)):
        keys, text = words[0]
        inner = scope.shell(shell)
        if keys[-2:-1] and keys[-2] in OF_ONE_SHELL:
            inner = shells.setdefault(keys[:-1], inner)
        if len(words) == 1:
            written = str(_at(file.value, keys))
            first = first_line(file, file.position(pointer(*keys)).line, written)
            text = scope.replaced(text) if kind == AZURE else text
            text = for_shell(written, set_by_user, inner) if kind == COMPOSE else text
            yield from launches(text.replace(PLACEHOLDER, MARK), inner, cluster, first)
        else:
            reasons = [_reason(file, keys, text, set_by_user, kind) for keys, text in words]
            given_words = (
                _word(file, scope, *word, why) for word, why in zip(words, reasons, strict=True)
            )
            yield from of_words(list(given_words), inner, cluster)


def _at(value: Json, keys: Route) -> Json:
    """What the file itself has under these keys."""
    for key in keys:
        if isinstance(value, dict):
            value = value.get(str(key))
        elif isinstance(value, list) and isinstance(key, int):
            value = value[key]
    return value


def _reason(file: Document, keys: Route, text: str, given: Shell, kind: str) -> str:
    """Why a word with a part that is not known is not."""
    names = unset(str(_at(file.value, keys)), given) if kind == COMPOSE else []
    if names:
        return must_give(names)
    return "a template gives it" if PLACEHOLDER in text else "a variable gives it"


def first_line(file: Document, line: int, text: str) -> int:
    """The line of the file that contains the first line of a block of text."""
    start = next((line_ for line_ in text.split("\n") if line_.strip()), "").strip()
    skipped = text[: text.find(start)].count("\n") if start else 0
    for number in range(line, line + 30):
        here = file.line_text(number).strip()
        folded = len(here) > 3 and start.startswith(here)
        if start and (start in here or folded):
            return number - skipped
    return line


class _Walk(Struct, frozen=True):
    """Looks for commands; `maps` are the ConfigMaps of the file `launcher`."""

    maps: Maps
    launcher: Path

    def commands(self, value: Json, keys: Route, outside: Scope) -> Iterator[tuple[Words, Scope]]:
        """The commands under the keys that contain them, each as words, or as one text of shell."""
        if isinstance(value, dict):
            scope = outside.inside(value, self.maps, self.launcher)
            words = [word for name in COMMANDS for word in _texts(value.get(name), (*keys, name))]
            if words:
                yield words, scope
            for name in SCRIPTS:
                if isinstance(value.get(name), str) or name in LISTED:
                    yield from (([word], scope) for word in _texts(value.get(name), (*keys, name)))
            for name, inner in value.items():
                if name not in COMMANDS:
                    yield from self.commands(inner, (*keys, name), scope)
        elif isinstance(value, list):
            for number, inner in enumerate(value):
                yield from self.commands(inner, (*keys, number), outside)


def _texts(value: Json, keys: Route) -> list[tuple[Route, str]]:
    """The words of a command with their places; nothing if it is none."""
    if isinstance(value, str):
        return [(keys, value)]
    if not isinstance(value, list) or not all(
        isinstance(item, str | int | float) for item in value
    ):
        return []
    return [((*keys, number), str(item)) for number, item in enumerate(value)]


def _word(file: Document, scope: Scope, keys: Route, text: str, reason: str) -> Word:
    at = file.value_position(pointer(*keys))
    line = first_line(file, at.line, text) if "\n" in text else at.line
    inner = scope.replaced(text).replace(PLACEHOLDER, MARK)
    if MARK not in inner:
        return Word(inner, line, at.column, bare=False)
    known = inner.replace(MARK, "")
    return Word(known, line, at.column, reason, bare=False, marked=inner)
