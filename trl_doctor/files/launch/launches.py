"""What a command starts: a command of TRL or a script, with which arguments and processes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec.structs import replace

from trl_doctor.core.trainer import TRAINERS
from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.containers import contained, goes
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.nested import nested_text
from trl_doctor.files.launch.options import SWITCHES, counted, options
from trl_doctor.files.launch.parameters import of_mlflow
from trl_doctor.files.launch.runners import RUNNERS, is_tool, run_by
from trl_doctor.files.launch.shell.cut import ended_by, is_option
from trl_doctor.files.launch.shell.inside import forget_edited
from trl_doctor.files.launch.shell.variables import Shell, Word
from trl_doctor.files.launch.shell.words import commands

PREFIXES = frozenset(
    {"srun", "exec", "nohup", "time", "sudo", "env", "uv", "poetry", "pipenv", "conda", "pixi",
     "mpirun", "singularity", "apptainer", "docker", "podman", "nice", "timeout", "stdbuf",
     "mamba", "micromamba", "pdm", "rye", "hatch", "mpiexec", "numactl", "taskset", "ionice",
     "setsid", "command", "nsys", "ray", "ssh", "tmux", "screen", "kubectl", "jsrun", "flux",
     "hf", "huggingface-cli", "mlflow"}
)  # fmt: skip
"""What runs another command that follows in the same line."""

PYTHON = re.compile(r"(?:.*/)?python[\d.]*$")
OWN_SCRIPT = re.compile(r"(?:.*/)?trl/scripts/(\w+)\.py$|^trl\.scripts\.(\w+)$")
LAUNCHERS = ("accelerate", "torchrun", "deepspeed", "accelerate-launch")
LAUNCHING = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torchrun",
    "accelerate.commands.launch": "accelerate-launch",
    "accelerate.commands.accelerate_cli": "accelerate",
    "deepspeed.launcher.runner": "deepspeed",
}
"""Modules of Python that are launchers."""


def launches(text: str, shell: Shell, cluster: Cluster, first: int = 1) -> Iterator[Launch]:
    """The lines of a shell text that start a training, in their order."""
    started: list[Launch] = []
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
        started = [replace(launch, called=called) for launch in of_words(words, shell, cluster)]
    yield from started


def of_words(words: Sequence[Word], shell: Shell, cluster: Cluster) -> Iterator[Launch]:
    """The training that a command starts; nothing if it starts none."""
    inside = shell
    shell_words, variables = _kept(shell), _exported(shell)
    for at, word in enumerate(words):
        name = PurePosixPath(word.text).name
        if nested := nested_text(name, words[at + 1 :], shell, cluster):
            there = nested.inside(contained(words[:at], shell))
            yield from launches(nested.text, there, nested.cluster, nested.line)
            return
        if name == "mlflow" and (inner := of_mlflow(words[at:], shell)):
            yield from launches(inner, contained(words[:at], shell).inner(), cluster, word.line)
            return
        if name in RUNNERS and (given := run_by(words[at + 1 :])):
            yield from of_words(given, contained(words[:at], shell), cluster)
            return
        srun = any(w.text == "srun" for w in words[:at])
        whole = words[at:]
        if name.endswith(".py") and (at == 0 or word.text.startswith("./")):
            whole = [replace(word, text="python", open=""), *whole]
        inside, before = contained(words[:at], shell), inside
        if inside is not before:
            shell_words, variables = _kept(inside), _exported(inside)
        launch = _program(whole, cluster, variables, srun=srun)
        if launch is not None:
            yield replace(
                launch,
                whole=tuple(whole),
                kept=shell_words,
                cluster=cluster,
                files=dict(shell.files),
                folder=inside.folder,
                mounts=inside.mounts,
                before=tuple(words[:at]),
            )
            return
        if at == 0 and name not in PREFIXES and not _may_lead(word.text):
            return


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


def _program(
    words: Sequence[Word], cluster: Cluster, variables: Mapping[str, str], *, srun: bool
) -> Launch | None:
    head, name = words[0], PurePosixPath(words[0].text).name
    if name == "trl" and len(words) > 1 and words[1].text in TRAINERS:
        return _launch(head, words[1].text, "", words[2:], (None, ""), "", variables)
    if name in LAUNCHERS:
        return _launched(words, name, cluster, variables, srun=srun)
    if PYTHON.match(words[0].text):
        return _python(words, cluster, variables, srun=srun)
    return None


def _python(
    words: Sequence[Word], cluster: Cluster, variables: Mapping[str, str], *, srun: bool
) -> Launch | None:
    arguments = list(words[1:])
    while arguments and arguments[0].text.startswith("-") and arguments[0].text != "-m":
        if arguments[0].text == "-c":
            return None
        arguments = arguments[1:] if arguments[0].text not in ("-W", "-X") else arguments[2:]
    if len(arguments) > 1 and arguments[0].text == "-m":
        module = arguments[1].text
        if launcher := LAUNCHING.get(module):
            return _launched([words[0], *arguments[2:]], launcher, cluster, variables, srun=srun)
        if is_tool(module):
            return None
        return _script(
            words[0],
            module,
            arguments[2:],
            _alone(cluster, variables, srun),
            "",
            variables,
            module=True,
        )
    return (
        _script(
            words[0],
            _named(arguments[0]),
            arguments[1:],
            _alone(cluster, variables, srun),
            "",
            variables,
        )
        if arguments
        else None
    )


def _alone(cluster: Cluster, variables: Mapping[str, str], srun: bool) -> tuple[int | None, str]:
    """How many processes `python` is in: one, or one for each of Slurm's tasks."""
    if variables.get("PET_NNODES", "1") != "1":
        return None, ""  # an operator of Kubernetes may start it on each node
    if not srun:
        return 1, "python starts one process"
    tasks = cluster.tasks or (cluster.tasks_per_node or 0) * (cluster.nodes or 1)
    return (tasks, "srun starts one for each task") if tasks else (None, "")


def _launched(
    words: Sequence[Word], name: str, cluster: Cluster, variables: Mapping[str, str], *, srun: bool
) -> Launch | None:
    arguments = list(words[1:])
    if name == "accelerate":
        if not arguments or arguments[0].text != "launch":
            return None
        arguments = arguments[1:]
    flags, arguments, module = options(arguments)
    if not arguments:
        return None
    count = counted(name, flags, cluster, variables)
    config = flags.get("config_file", "") if name.startswith("accelerate") else ""
    return _script(
        words[0], _named(arguments[0]), arguments[1:], count, config, variables, module=module
    )


def _named(word: Word) -> str:
    """A script as a command names it; as it is written if a part of its own name is not known."""
    own = "$" in PurePosixPath(word.spelled).name and word.spelled.endswith(".py")
    return word.spelled if word.open and own else word.text


def launcher_options(launch: Launch) -> dict[str, str]:
    """The options of the launcher itself; a switch has an empty value."""
    whole = launch.whole
    behind = next((at for at, word in enumerate(whole) if word.text in LAUNCHING), 0) + 1
    words = [word for word in whole[behind:] if word.text != "launch"]
    switches = {word.text.lstrip("-"): "" for word in words if word.text in SWITCHES}
    flags = {"config_file": launch.accelerate} if launch.accelerate else {}
    return {**flags, **switches, **options(words)[0]}


def _script(
    head: Word,
    name: str,
    words: Sequence[Word],
    counted: tuple[int | None, str],
    config: str,
    variables: Mapping[str, str],
    *,
    module: bool = False,
) -> Launch | None:
    trl_script = OWN_SCRIPT.match(name)
    if trl_script:
        return _launch(head, trl_script[1] or trl_script[2], "", words, counted, config, variables)
    if module:
        name = name.replace(".", "/") + ".py"
    if not name.endswith(".py"):
        return None
    return _launch(head, "", name, words, counted, config, variables)


def _launch(
    head: Word,
    command: str,
    script: str,
    words: Sequence[Word],
    counted: tuple[int | None, str],
    config: str,
    variables: Mapping[str, str],
) -> Launch:
    return Launch(
        head.line, head.column, command, script, tuple(words), *counted, config, dict(variables)
    )
