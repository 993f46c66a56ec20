"""What a command starts: a command of TRL or a script, with which arguments and processes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from msgspec.structs import replace

from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.container_variables import given
from trl_doctor.files.launch.containers import contained, goes
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.multirun import multirun
from trl_doctor.files.launch.nested import nested_text
from trl_doctor.files.launch.parameters import of_mlflow
from trl_doctor.files.launch.program import ALONE, alone, program
from trl_doctor.files.launch.runners import RUNNERS, in_folder, run_by
from trl_doctor.files.launch.shell.cut import ended_by, is_option
from trl_doctor.files.launch.shell.inside import forget_edited
from trl_doctor.files.launch.shell.variables import Shell, Word
from trl_doctor.files.launch.shell.words import commands
from trl_doctor.files.launch.started_files import started_file

PREFIXES = frozenset(
    {"srun", "exec", "nohup", "time", "sudo", "env", "uv", "poetry", "pipenv", "conda", "pixi",
     "mpirun", "singularity", "apptainer", "docker", "podman", "nice", "timeout", "stdbuf",
     "mamba", "micromamba", "pdm", "rye", "hatch", "mpiexec", "numactl", "taskset", "ionice",
     "setsid", "command", "nsys", "ray", "ssh", "tmux", "screen", "kubectl", "jsrun", "flux",
     "hf", "huggingface-cli", "mlflow"}
)  # fmt: skip
"""What runs another command that follows in the same line."""


def launches(text: str, shell: Shell, cluster: Cluster, first: int = 1) -> Iterator[Launch]:
    """The lines of a shell text that start a training, in their order."""
    started, known = list[Launch](), set[tuple[object, ...]]()
    lines = text.split("\n")
    for words in commands(text, shell, first):
        if started and is_option(words[0]):
            ended = ended_by(text, words[0].line - first)
            started = [replace(launch, cut=tuple(words), cut_by=ended) for launch in started]
            continue
        yield from started
        forget_edited(shell, words)
        goes(shell, words, lines[: words[0].line - first + 1])
        called = words[0].called
        new = [replace(launch, called=called) for launch in of_words(words, shell, cluster)]
        started = [launch for launch in new if not launch.turn or _is_new(launch, known)]
    yield from started


def _is_new(launch: Launch, known: set[tuple[object, ...]]) -> bool:
    """Whether no earlier turn of its loop has started the same."""
    names = {name for name, _ in launch.turn}
    variables = sorted(pair for pair in launch.variables.items() if pair[0] not in names)
    words = [word.inner for word in (*launch.before, *launch.whole)]
    key = launch.line, launch.folder, tuple(words), tuple(variables)
    new = key not in known
    known.add(key)
    return new


def of_words(words: Sequence[Word], shell: Shell, cluster: Cluster) -> Iterator[Launch]:
    """The training that a command starts; nothing if it starts none."""
    shell_words, variables = _kept(shell), _exported(shell)
    for at, word in enumerate(words):
        name = PurePosixPath(word.text).name
        if nested := nested_text(name, words[at + 1 :], shell, cluster):
            there = nested.inside(_behind(words[:at], shell))
            for inner in launches(nested.text, there, nested.cluster, nested.line):
                yield within(inner, words)
            return
        if name == "mlflow" and (text := of_mlflow(words[at:], shell)):
            yield from launches(text, _behind(words[:at], shell).inner(), cluster, word.line)
            return
        if name in RUNNERS and (inner_words := run_by(words[at + 1 :])):
            options = words[at + 1 : len(words) - len(inner_words)]
            yield from of_words(
                inner_words, in_folder(_behind(words[:at], shell), options), cluster
            )
            return
        if (file := started_file(words, at, cluster, variables)) is not None:
            yield _file(file, words[:at], shell)
            return
        whole = words[at:]
        if name.endswith(".py") and (at == 0 or word.text.startswith("./")):
            whole = [replace(word, text="python", open=""), *whole]
        inside = _behind(words[:at], shell)
        if inside is not shell:
            shell_words, variables = _kept(inside), _exported(inside)
        srun = any(w.text == "srun" for w in words[:at])
        launch = program(whole, cluster, variables, srun=srun)
        if launch is not None:
            launch = replace(launch, whole=tuple(whole), kept=shell_words, cluster=cluster)
            yield from multirun(_placed(launch, words[:at], inside))
            return
        if at == 0 and name not in PREFIXES and not _may_lead(word.text):
            return


def _behind(words: Sequence[Word], shell: Shell) -> Shell:
    """The shell of a command that these words start."""
    return given(contained(words, shell), words)


def _file(launch: Launch, before: Sequence[Word], shell: Shell) -> Launch:
    """A launch file that is started where these words lead to."""
    there = _behind(before, shell)
    variables = launch.variables if launch.submitted else _exported(there)
    return replace(_placed(launch, before, there), variables=variables, kept=_kept(there))


def _placed(launch: Launch, before: Sequence[Word], shell: Shell) -> Launch:
    """A launch with what its shell knows, which these words may have started."""
    return replace(
        launch,
        files=dict(shell.files),
        folder=shell.folder,
        mounts=shell.mounts,
        before=tuple(before),
        turn=tuple(shell.turn.items()),
        lacking=tuple((name, *lack) for name, lack in shell.lacking.items()),
    )


def within(launch: Launch, words: Sequence[Word]) -> Launch:
    """The launch inside of a shell that these words start: `srun bash -c "python train.py"`."""
    launch = replace(launch, around=(*words, *launch.around))
    if launch.processes_from == ALONE and any(word.text == "srun" for word in words):
        count, source = alone(launch.cluster, launch.variables, srun=True)
        return replace(launch, processes=count, processes_from=source)
    return launch


def _kept(shell: Shell) -> dict[str, Word]:
    """The variables that the text sets and does not export."""
    return {name: word for name, word in shell.kept.items() if name not in os.environ}


def _exported(shell: Shell) -> dict[str, str]:
    """The variables that a program gets, as far as they are known."""
    kept = _kept(shell)
    known = {name: shell.value(name) for name in shell.variables if name not in kept}
    return {name: value for name, value in known.items() if value is not None}


def _may_lead(text: str) -> bool:
    """Whether a first word can be followed by the command that counts."""
    return text in ("then", "do", "else", "{", "if", "!", "@") or "=" in text
