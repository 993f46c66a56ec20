"""The training that a launch file, `srun` or `deepspeed` starts, as a command for this machine."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from trl_doctor.files import document
from trl_doctor.files.launch import forms, reading
from trl_doctor.files.launch.at_line import NoTraining, at_line, lines, of_line
from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.launches import PREFIXES, launches
from trl_doctor.files.launch.shell.inside import named_exactly
from trl_doctor.files.launch.shell.variables import Shell, Word
from trl_doctor.files.regular import opened
from trl_doctor.files.source.notebooks.started import BESIDE
from trl_doctor.files.unknown_word import PLACEHOLDER
from trl_doctor.rehearsing.command.local_command import LocalCommand, NotStarted, without_cluster

FIRST_TASK = {"SLURM_JOB_ID": "1", "SLURM_JOBID": "1", "SLURM_PROCID": "0", "SLURM_NODEID": "0",
              "SLURM_LOCALID": "0"}  # fmt: skip
"""What Slurm sets for the first task of a job."""


CHOOSES = re.compile(
    r"^\s*(?:if|case|while|until|select|function|exit|return|test|\[+)(?:\s|$)|\|\||\(\)"
    r"|(?<!&)&\s*$",
    re.MULTILINE,
)
"""What lets a shell script leave out a line, repeat it, or not wait for it."""


HERE_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n.*?^\s*\2\s*$", re.DOTALL | re.M)
"""A text in a shell script that is no part of its commands."""


def local_command(
    words: Sequence[str], variables: Mapping[str, str], processes: int | None
) -> LocalCommand | None:
    """What the words start on the cluster; None if this machine can start them as they are.

    `variables` are set before the command, `processes` is the number that the user asks for.
    Raises `NotStarted`.
    """
    file, line = at_line(words[0])
    if kind := form(file):
        return _of_file(file, kind, line, words[1:], variables, processes)
    if PurePosixPath(words[0]).name in PREFIXES | {"deepspeed"}:
        launch = launch_of(words)
        return without_cluster(launch, (), processes) if launch else None
    return None


def launch_of(words: Sequence[str]) -> Launch | None:
    """The training that a command starts, as a launch file would name it."""
    found = launches(shlex.join(words), Shell(), Cluster())
    return next((launch for launch in found if not launch.starts), None)


def form(file: Path) -> str:
    """The kind of a launch file in words; "" for anything else."""
    if not file.is_file():
        return ""
    with opened(file) as stream:
        return forms.form(file, stream.read(forms.HEAD))


def _of_file(
    file: Path,
    kind: str,
    line: int,
    more: Sequence[str],
    variables: Mapping[str, str],
    processes: int | None,
) -> LocalCommand:
    try:
        data = document.read_bytes(file)
        submitted = {**FIRST_TASK, "SLURM_SUBMIT_DIR": str(Path.cwd())}
        own = {name: value for name, value in os.environ.items() if name != "PWD"}
        launches = reading.read_launches(file, data, kind, {**submitted, **own, **variables})
    except document.Unreadable as problem:
        raise NotStarted(str(problem)) from None
    if not launches:
        raise NotStarted(f"{file}: no line starts a training: name the script instead")
    if line:
        try:
            launches = of_line(launches, line)
        except NoTraining as reason:
            raise NotStarted(f"{file}: {reason}") from None
    commands = HERE_DOCUMENT.sub("", data.decode(errors="replace"))
    in_turn = kind in forms.OF_SHELL and not more and not CHOOSES.search(commands)
    in_turn = in_turn and not _of_one_name(launches)
    if len(launches) > 1 and not in_turn:
        if len({(launch.file, launch.line) for launch in launches}) > 1:
            raise NotStarted(
                f"{file} starts {len(launches)} trainings ({lines(launches)}): "
                f"name one by its line, {file}:{launches[0].line}"
            )
        launches = launches[:1]  # the first turn of a loop
    before, *others = (_of_launch(file, launch, more, processes) for launch in launches)
    return replace(before, after=tuple(others))


def _of_one_name(launches: Sequence[Launch]) -> bool:
    """Whether several trainings read other texts under one name."""
    files = {(name, text) for launch in launches for name, text in _files(launch).items()}
    return len({name for name, _ in files}) < len(files)


def _of_launch(
    file: Path, launch: Launch, more: Sequence[str], processes: int | None
) -> LocalCommand:
    """A training of a file, with its line beside what the number of processes comes from."""
    launch = _beside(launch)
    unknown = [name for name in _contained(launch) if name not in _files(launch)]
    if unknown:
        raise NotStarted(
            f"line {launch.line} needs {', '.join(unknown)}, which {file.name} itself contains: "
            "save it as a file, and rehearse the command with that; trl-doctor check reads it there"
        )
    here = without_cluster(launch, more, processes)
    place = f", {launch.named_in(Path(launch.file or file))}" if here.processes_from else ""
    return replace(here, processes_from=f"{here.processes_from}{place}", files=_files(launch))


def _beside(launch: Launch) -> Launch:
    """The line with the files of a ConfigMap beside it: `/scripts/train.py` is `train.py`."""
    inside, own = _files(launch), {id(file): name for name, file in launch.files.items()}
    names = {
        name: own.get(id(named_exactly(launch.files, name)), "") for name in _contained(launch)
    }
    names = {name: other for name, other in names.items() if name not in inside and other in inside}

    def renamed(word: Word) -> Word:
        option, equals, name = word.text.rpartition("=")
        return replace(word, text=f"{option}{equals}{names[name]}") if name in names else word

    return replace(
        launch,
        script=names.get(launch.script, launch.script),
        words=tuple(map(renamed, launch.words)),
        whole=tuple(map(renamed, launch.whole)),
    )


def _contained(launch: Launch) -> list[str]:
    """The files of the line that the launch file itself contains."""
    words = dict.fromkeys(word.text.rpartition("=")[2] for word in launch.whole)
    named = [word for word in words if word.endswith((".py", ".yaml", ".yml", ".json"))]
    return [word for word in named if named_exactly(launch.files, word)]


def _files(launch: Launch) -> dict[str, str]:
    """The files that the launch file contains, as far as they are known and in its folder.

    Each line has the number that it has in the launch file.
    """
    return {
        name: file.data.decode(errors="replace")
        for name, file in launch.files.items()
        if BESIDE.fullmatch(name) and PLACEHOLDER not in file.text
    }
