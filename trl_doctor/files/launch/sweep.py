"""The trainings of a sweep of Weights & Biases: its program with values of its parameters."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from trl_doctor.core.finding import Json, pointer
from trl_doctor.files import document
from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.launches import launches
from trl_doctor.files.launch.shell.variables import Shell, Word
from trl_doctor.files.source.state import SWEEP

MOST = 6
"""The most runs of a sweep that are examined: each value of a parameter is in one of the first."""

COMMAND = ("${env}", "${interpreter}", "${program}", "${args}")
"""What `wandb agent` runs where the file has no command of its own."""

UNKNOWN = "$a_parameter_of_the_sweep"
"""A word that no variable gives."""


def in_sweep(path: Path, data: bytes) -> Iterator[Launch]:
    """Runs in which each listed value, and both ends of each range, come once."""
    file = document.parse(path, data)
    program, parameters, command = (file.get(key) for key in ("program", "parameters", "command"))
    options = {
        str(name): _values(stated)
        for name, stated in (parameters.items() if isinstance(parameters, dict) else ())
        if isinstance(stated, dict)
    }
    words = command if isinstance(command, list) else COMMAND
    line = file.position(pointer("command" if words is command else "program")).line
    for number in range(min(MOST, max(map(len, options.values()), default=1))):
        chosen = {name: values[min(number, len(values) - 1)] for name, values in options.items()}
        text = " ".join(_words(list(map(str, words)), str(program or ""), chosen))
        shell = Shell(launcher=path)
        for launch in launches(f"{SWEEP}=sweep {text}", shell, Cluster(), line):
            placed = tuple(_placed(file, word, options) for word in launch.words)
            yield replace(launch, words=placed, column=0)


def _placed(file: document.Document, word: Word, options: Collection[str]) -> Word:
    """The word at the place of its parameter, if it is one of the sweep's."""
    name = word.text.lstrip("-").partition("=")[0]
    if name not in options:
        return word
    at = file.position(pointer("parameters", name))
    return replace(word, line=at.line, column=at.column)


def _values(stated: Mapping[str, Json]) -> list[Json]:
    """The values that a parameter takes: those that are listed, or the ends of a range."""
    if "value" in stated:
        return [stated["value"]]
    listed = stated.get("values")
    if isinstance(listed, list) and listed:
        return listed
    ends = [stated[name] for name in ("min", "max") if name in stated]
    return ends if ends and "log" not in str(stated.get("distribution", "")) else [None]


def _words(command: list[str], program: str, chosen: Mapping[str, Json]) -> Iterator[str]:
    """The words of the command in a shell, with `${…}` of the sweep filled in."""
    for word in command:
        if word == "${interpreter}":
            yield "python"
        elif word == "${program}":
            yield shlex.quote(program)
        elif word in ("${args}", "${args_no_boolean_flags}", "${args_no_hyphens}"):
            for name, value in chosen.items():
                yield from _option(name, value, word)
        elif word != "${env}":
            yield word if word.startswith("$") else shlex.quote(word)


def _option(name: str, value: Json, macro: str) -> Iterator[str]:
    dashes = "" if macro == "${args_no_hyphens}" else "--"
    if isinstance(value, bool) and macro == "${args_no_boolean_flags}":
        if value:
            yield f"{dashes}{name}"
    elif value is None or isinstance(value, dict | list):
        yield f"{dashes}{name}={UNKNOWN}"
    else:
        yield f"{dashes}{name}={shlex.quote(str(value))}"
