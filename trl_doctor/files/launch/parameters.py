"""The command of an entry point of MLflow, with the parameters that `mlflow run` fills in."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from trl_doctor.core.finding import Json
from trl_doctor.files import document
from trl_doctor.files.launch.shell.variables import MARK, Shell, Word

FIELD = re.compile(r"\{\{|\}\}|\{(\w+)\}")
"""What `str.format` replaces."""

PARAMETER, ENTRY = ("-P", "--param-list"), ("-e", "--entry-point")
VALUED = frozenset(
    {*PARAMETER, *ENTRY, "-v", "--version", "-A", "--docker-args", "-b", "--backend", "-c",
     "--backend-config", "--env-manager", "--experiment-name", "--experiment-id", "--storage-dir",
     "--run-id", "--run-name"}
)  # fmt: skip
"""Options of `mlflow run` that take a value."""


def filled(
    command: str,
    parameters: Mapping[str, Json],
    shell: Shell,
    given: Mapping[str, Word] | None = None,
) -> str:
    """A command with the `given` values, and the defaults of the other parameters.

    One that has neither is a variable that is not known.
    """
    values = given or {}

    def value(match: re.Match[str]) -> str:
        if not match[1]:
            return match[0][0]
        name, declared = match[1], parameters.get(match[1])
        if name in values and not values[name].open:
            return shlex.quote(values[name].text)
        default = declared.get("default") if isinstance(declared, dict) else None
        if default is not None and name not in values:
            return shlex.quote(str(default))
        why = f"`mlflow run -P {name}=…` gives it"
        if name in values:
            why = values[name].open
        elif name not in parameters:
            why = f"the entry point has no parameter {name}"
        shell.variables[f"PARAMETER_{name}"] = [Word("", 0, 0, why, marked=MARK)]
        return f"${{PARAMETER_{name}}}"

    return FIELD.sub(value, command)


def of_mlflow(words: Sequence[Word], shell: Shell) -> str:
    """The command that `mlflow run . -P rate=1` starts; "" if its project is not here."""
    if [word.text for word in words[1:2]] != ["run"]:
        return ""
    arguments, options = _split(words[2:])
    folder = Path(arguments[0].text) if arguments and not arguments[0].open else None
    roots = (shell.launcher.parent if shell.launcher else Path(), Path())
    files = [root / shell.folder / folder / "MLproject" for root in roots] if folder else []
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        return ""
    name = next((value.text for option, value in options if option in ENTRY), "main")
    given = dict(_given(options))
    try:
        entries = document.parse(file, document.read_bytes(file)).get("entry_points")
    except document.Unreadable:
        return ""
    entry = entries.get(name) if isinstance(entries, dict) else None
    command = entry.get("command") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(command, str):
        return ""
    parameters = entry.get("parameters")
    return filled(command, parameters if isinstance(parameters, dict) else {}, shell, given)


def _split(words: Sequence[Word]) -> tuple[list[Word], list[tuple[str, Word]]]:
    """The arguments of `mlflow run`, and its options with their values."""
    arguments: list[Word] = []
    options: list[tuple[str, Word]] = []
    at = 0
    while at < len(words):
        name, equals, _ = words[at].text.partition("=")
        if equals and name in VALUED:
            options.append((name, words[at].behind(len(name) + 1)))
        elif words[at].text in VALUED and at + 1 < len(words):
            options.append((words[at].text, words[at + 1]))
            at += 1
        elif not words[at].text.startswith("-"):
            arguments.append(words[at])
        at += 1
    return arguments, options


def _given(options: Sequence[tuple[str, Word]]) -> Iterator[tuple[str, Word]]:
    """The parameters that `-P NAME=value` gives."""
    for option, value in options:
        name, equals, _ = value.text.partition("=")
        if option in PARAMETER and equals:
            yield name, value.behind(len(name) + 1)
