"""The trainings of an MLproject file: `mlflow run` fills the parameters into its commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trl_doctor.core.finding import pointer
from trl_doctor.files import document
from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.containers import Container
from trl_doctor.files.launch.in_yaml import first_line
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.launches import launches
from trl_doctor.files.launch.parameters import filled
from trl_doctor.files.launch.shell.variables import Shell


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
            text = filled(command, parameters if isinstance(parameters, dict) else {}, shell)
            yield from launches(text, shell, Cluster(), first_line(file, line, command))
