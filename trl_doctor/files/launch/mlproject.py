"""The trainings of an MLproject file: `mlflow run` fills the parameters into its commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from trl_doctor.core.finding import Json, pointer
from trl_doctor.files import document
from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.containers import Container
from trl_doctor.files.launch.in_yaml import first_line
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.launches import launches
from trl_doctor.files.launch.variables import MARK, Shell, Word

FIELD = re.compile(r"\{\{|\}\}|\{(\w+)\}")
"""What `str.format` replaces."""


def in_mlproject(path: Path, data: bytes) -> Iterator[Launch]:
    """What each entry point starts, with the defaults of its parameters."""
    file = document.parse(path, data)
    environment = file.get("docker_env")
    container = Container()
    if isinstance(environment, dict):
        container = container.inside(environment)
    entries = file.get("entry_points")
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        command = entry.get("command") if isinstance(entry, dict) else None
        if isinstance(entry, dict) and isinstance(command, str):
            shell = Shell(launcher=path, mounts=container.mounts)
            line = file.position(pointer("entry_points", name, "command")).line
            parameters = entry.get("parameters")
            text = _filled(command, parameters if isinstance(parameters, dict) else {}, shell)
            yield from launches(text, shell, Cluster(), first_line(file, line, command))


def _filled(command: str, parameters: Mapping[str, Json], shell: Shell) -> str:
    """A command with the defaults; a parameter without one is a variable that is not known."""

    def value(match: re.Match[str]) -> str:
        if not match[1]:
            return match[0][0]
        name, declared = match[1], parameters.get(match[1])
        default = declared.get("default") if isinstance(declared, dict) else None
        if default is not None:
            return shlex.quote(str(default))
        why = f"`mlflow run -P {name}=…` gives it"
        if name not in parameters:
            why = f"the entry point has no parameter {name}"
        shell.variables[f"PARAMETER_{name}"] = [Word("", 0, 0, why, marked=MARK)]
        return f"${{PARAMETER_{name}}}"

    return FIELD.sub(value, command)
