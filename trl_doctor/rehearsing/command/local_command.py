"""A training of a launch file, `srun` or `deepspeed`, as a command for this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.shell.variables import Word

MEETING = frozenset(
    {"rdzv_endpoint", "rdzv_id", "rdzv_conf", "rdzv_backend", "node_rank", "machine_rank",
     "master_addr", "master_port", "main_process_ip", "main_process_port", "gpu_ids", "log_dir"}
)  # fmt: skip
"""Options of launchers by which machines find each other: a rehearsal needs none of them."""

ARGUMENTS = ("$@ ", "$* ")
"""How the reason begins why the arguments of a launch file are not known."""

COUNTS = frozenset(
    {"nnodes", "num_machines", "num_nodes", "nproc_per_node", "num_processes", "num_gpus", "n"}
)
"""Options of launchers that say how many processes there are."""


class NotStarted(Exception):
    """No training can be started from it; the message says what to do."""


class LocalCommand(Struct, frozen=True):
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
    after: tuple[LocalCommand, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)


def without_cluster(launch: Launch, more: Sequence[str], processes: int | None) -> LocalCommand:
    """The same training with a launcher that works without the cluster; raises `NotStarted`."""
    launch, command_words = _counted(launch, processes), list(_command_words(launch))
    program = PurePosixPath(launch.whole[0].text).name
    alone = program.startswith("python") and (launch.processes or 1) > 1 and launch.script
    if program == "deepspeed" or alone:
        count = launch.processes or 1
        arguments = (word.text for word in launch.words)
        command_words = ["torchrun", f"--nproc-per-node={count}", launch.script, *arguments]
    words = (*command_words, *more)
    return LocalCommand(launch, words, _set(launch), launch.processes, launch.processes_from)


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
    """The words of the command, without options of the launcher that a rehearsal sets itself.

    A file that is started as it is gets no arguments of its own: `"$@"` is nothing.
    """
    launcher = list(_launcher_words(launch))
    unknown = {option for option, word in launcher if word.open} & (MEETING | COUNTS)
    yield from (word.text for option, word in launcher if option not in unknown)
    for word in launch.whole[len(launcher) :]:
        if word.open.startswith(ARGUMENTS) and not word.text:
            continue
        if word.open:
            raise NotStarted(f"{_line(launch, word)}: an argument is not known, {_known_by(word)}")
        yield word.text


def _known_by(word: Word) -> str:
    """Why a word is not known, and what to do."""
    copy = "copy the command with its values behind `trl-doctor rehearse --`"
    if word.open.startswith("a condition"):
        return f"{word.open}: {copy}"
    variable = "set the variable before the command (`NAME=VALUE trl-doctor rehearse …`)"
    return f"{word.open}: {variable}, or {copy}"


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
