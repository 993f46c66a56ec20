"""The training that a launch file, `srun` or `deepspeed` starts, as a command for this machine."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.files import document
from trl_doctor.files.launch import forms, reading
from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.launches import PREFIXES, Launch, launches
from trl_doctor.files.launch.variables import Shell
from trl_doctor.files.regular import opened


class NotStarted(Exception):
    """No training can be started from it; the message says what to do."""


class Launched(Struct, frozen=True):
    """The words of the command, the variables that are set for it, and its number of processes.

    `processes` is None where nobody says; `processes_from` is where it is said.
    """

    words: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    processes: int | None = None
    processes_from: str = ""


def launched(words: Sequence[str]) -> Launched | None:
    """What the words start on the cluster; None where this machine can start them as they are.

    Raises `NotStarted`.
    """
    file = Path(words[0])
    if file.is_file() and (kind := _form(file)):
        return _of_file(file, kind, words[1:])
    if PurePosixPath(words[0]).name in PREFIXES | {"deepspeed"}:
        trainings = list(launches(shlex.join(words), Shell(), Cluster()))
        return _here(trainings[0], ()) if trainings else None
    return None


def _form(file: Path) -> str:
    with opened(file) as stream:
        return forms.form(file, stream.read(forms.HEAD))


def _of_file(file: Path, kind: str, more: Sequence[str]) -> Launched:
    try:
        read = reading.read_launches(file, document.read_bytes(file), kind)
    except document.Unreadable as problem:
        raise NotStarted(str(problem)) from None
    if not read:
        raise NotStarted(f"{file}: no line starts a training: name the script instead")
    if len(read) > 1:
        lines = ", ".join(str(launch.line) for launch in read)
        raise NotStarted(
            f"{file} starts {len(read)} trainings (lines {lines}): "
            "copy the command of one of them behind `trl-doctor rehearse --`"
        )
    here = _here(read[0], more)
    place = f", {file.name}:{read[0].line}" if here.processes_from else ""
    return replace(here, processes_from=f"{here.processes_from}{place}")


def _here(launch: Launch, more: Sequence[str]) -> Launched:
    """The same training with a launcher that works without the cluster."""
    for word in launch.whole:
        if word.open:
            raise NotStarted(
                f"line {word.line}: an argument is not known, {word.open}: copy the command with "
                "its values behind `trl-doctor rehearse --`"
            )
    program = PurePosixPath(launch.whole[0].text).name
    words = [word.text for word in launch.whole]
    alone = program.startswith("python") and (launch.processes or 1) > 1 and launch.script
    if program == "deepspeed" or alone:
        count = launch.processes or 1
        arguments = (word.text for word in launch.words)
        words = ["torchrun", f"--nproc-per-node={count}", launch.script, *arguments]
    return Launched((*words, *more), launch.variables, launch.processes, launch.processes_from)
