"""The training that a launch file, `srun` or `deepspeed` starts, as a command for this machine."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.files import document
from trl_doctor.files.launch import forms, reading
from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.inside import named_exactly
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.launches import PREFIXES, launches
from trl_doctor.files.launch.variables import Shell, Word
from trl_doctor.files.regular import opened
from trl_doctor.files.source.started import BESIDE
from trl_doctor.files.unknown_word import PLACEHOLDER

MEETING = frozenset(
    {"rdzv_endpoint", "rdzv_id", "rdzv_conf", "rdzv_backend", "node_rank", "machine_rank",
     "master_addr", "master_port", "main_process_ip", "main_process_port", "gpu_ids", "log_dir"}
)  # fmt: skip
"""Options of launchers by which machines find each other: a rehearsal needs none of them."""

COUNTS = frozenset(
    {"nnodes", "num_machines", "num_nodes", "nproc_per_node", "num_processes", "num_gpus", "n"}
)
"""Options of launchers that say how many processes there are."""

FIRST_TASK = {"SLURM_JOB_ID": "1", "SLURM_JOBID": "1", "SLURM_PROCID": "0", "SLURM_NODEID": "0",
              "SLURM_LOCALID": "0"}  # fmt: skip
"""What Slurm sets for the first task of a job."""


FIRST_OF_ARRAY = re.compile(r"^#SBATCH\s+(?:--array[= ]|-a ?)(\d+)", re.MULTILINE)
"""The number of the first task of an array of jobs."""


IN_TURN = ("a Slurm script", "a shell script")
"""Files whose trainings run one after the other."""

CHOOSES = re.compile(
    r"^\s*(?:if|case|for|while|until|select|function|exit|return|test|\[+)(?:\s|$)|\|\||\(\)"
    r"|(?<!&)&\s*$",
    re.MULTILINE,
)
"""What lets a shell script leave out a line, repeat it, or not wait for it."""


HERE_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n.*?^\s*\2\s*$", re.DOTALL | re.M)
"""A text in a shell script that is no part of its commands."""


class NotStarted(Exception):
    """No training can be started from it; the message says what to do."""


class Launched(Struct, frozen=True):
    """The words of the command, the variables that are set for it, and its number of processes.

    `processes` is None if it is not given; `processes_from` names its source. `launch` is the
    line as the file or the user writes it, `after` are the trainings that follow it there. `files`
    are those that the launch file contains, by name.
    """

    launch: Launch
    words: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    processes: int | None = None
    processes_from: str = ""
    after: tuple[Launched, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)


def launched(
    words: Sequence[str], variables: Mapping[str, str], processes: int | None
) -> Launched | None:
    """What the words start on the cluster; None if this machine can start them as they are.

    `variables` are set before the command, `processes` is the number that the user asks for.
    Raises `NotStarted`.
    """
    file = Path(words[0])
    if kind := form(file):
        return _of_file(file, kind, words[1:], variables, processes)
    if PurePosixPath(words[0]).name in PREFIXES | {"deepspeed"}:
        launch = launched_by(words)
        return placed(launch, (), processes) if launch else None
    return None


def launched_by(words: Sequence[str]) -> Launch | None:
    """The training that a command starts, as a launch file would name it."""
    return next(launches(shlex.join(words), Shell(), Cluster()), None)


def form(file: Path) -> str:
    """The kind of a launch file in words; "" for anything else."""
    if not file.is_file():
        return ""
    with opened(file) as stream:
        return forms.form(file, stream.read(forms.HEAD))


def _of_file(
    file: Path,
    kind: str,
    more: Sequence[str],
    variables: Mapping[str, str],
    processes: int | None,
) -> Launched:
    try:
        data = document.read_bytes(file)
        first = FIRST_OF_ARRAY.search(data[: forms.HEAD].decode(errors="replace"))
        task = {"SLURM_ARRAY_TASK_ID": first[1]} if first else {}
        submitted = {**FIRST_TASK, **task, "SLURM_SUBMIT_DIR": str(Path.cwd())}
        launches = reading.read_launches(file, data, kind, {**submitted, **os.environ, **variables})
    except document.Unreadable as problem:
        raise NotStarted(str(problem)) from None
    if not launches:
        raise NotStarted(f"{file}: no line starts a training: name the script instead")
    commands = HERE_DOCUMENT.sub("", data.decode(errors="replace"))
    in_turn = kind in IN_TURN and not more and not CHOOSES.search(commands)
    in_turn = in_turn and not _of_one_name(launches)
    if len(launches) > 1 and not in_turn:
        lines = ", ".join(str(launch.line) for launch in launches)
        raise NotStarted(
            f"{file} starts {len(launches)} trainings (lines {lines}): "
            "copy the command of one of them behind `trl-doctor rehearse --`"
        )
    before, *others = (_placed(file, launch, more, processes) for launch in launches)
    return replace(before, after=tuple(others))


def _of_one_name(launches: Sequence[Launch]) -> bool:
    """Whether several trainings read other texts under one name."""
    files = {(name, text) for launch in launches for name, text in _files(launch).items()}
    return len({name for name, _ in files}) < len(files)


def _placed(file: Path, launch: Launch, more: Sequence[str], processes: int | None) -> Launched:
    """A training of a file, with its line beside what the number of processes comes from."""
    unknown = [name for name in _contained(launch) if name not in _files(launch)]
    if unknown:
        raise NotStarted(
            f"line {launch.line} needs {', '.join(unknown)}, which {file.name} itself contains: "
            "save it as a file, and rehearse the command with that; trl-doctor check reads it there"
        )
    here = placed(launch, more, processes)
    place = f", {file.name}:{launch.line}" if here.processes_from else ""
    return replace(here, processes_from=f"{here.processes_from}{place}", files=_files(launch))


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


def placed(launch: Launch, more: Sequence[str], processes: int | None) -> Launched:
    """The same training with a launcher that works without the cluster; raises `NotStarted`."""
    launch, command_words = _counted(launch, processes), list(_command_words(launch))
    program = PurePosixPath(launch.whole[0].text).name
    alone = program.startswith("python") and (launch.processes or 1) > 1 and launch.script
    if program == "deepspeed" or alone:
        count = launch.processes or 1
        arguments = (word.text for word in launch.words)
        command_words = ["torchrun", f"--nproc-per-node={count}", launch.script, *arguments]
    words = (*command_words, *more)
    return Launched(launch, words, _set(launch), launch.processes, launch.processes_from)


def _set(launch: Launch) -> dict[str, str]:
    """The variables of the line, without those that are set here anyway."""
    return {name: value for name, value in launch.variables.items()
            if os.environ.get(name) != value}  # fmt: skip


def _counted(launch: Launch, processes: int | None) -> Launch:
    """The launch with the number of processes that the user asks for, where the line has none."""
    for option, word in _launcher_words(launch):
        if word.open and option in COUNTS:
            if processes is None:
                raise NotStarted(
                    f"{_line(launch, word)}: the number of processes is not known, {word.open}: "
                    "add --processes 2"
                )
            return replace(launch, processes=processes, processes_from="--processes")
    return launch


def _command_words(launch: Launch) -> Iterator[str]:
    """The words of the command, without options of the launcher that a rehearsal sets itself."""
    launcher = list(_launcher_words(launch))
    unknown = {option for option, word in launcher if word.open} & (MEETING | COUNTS)
    yield from (word.text for option, word in launcher if option not in unknown)
    for word in launch.whole[len(launcher) :]:
        if word.open:
            raise NotStarted(
                f"{_line(launch, word)}: an argument is not known, {word.open}: set the variable "
                "before the command (`NAME=VALUE trl-doctor rehearse …`), or copy the command "
                "with its values behind `trl-doctor rehearse --`"
            )
        yield word.text


def _line(launch: Launch, word: Word) -> str:
    """The line of a word as people see it."""
    return launch.cell or f"line {word.line}"


def _launcher_words(launch: Launch) -> Iterator[tuple[str, Word]]:
    """The words before the script, each with the option that it is or belongs to."""
    option, valued = "", True
    for word in launch.whole[: len(launch.whole) - len(launch.words) - bool(launch.script)]:
        if word.text.startswith("-"):
            name, equals, _ = word.text.partition("=")
            option, valued = name.lstrip("-").replace("-", "_"), bool(equals)
        elif valued:
            option = ""
        else:
            valued = True
        yield option, word
