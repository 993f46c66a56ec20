"""The program that a command names: TRL's command or a script, by which launcher."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from trl_doctor.core.trainer import TRAINERS
from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.launch.options import SWITCHES, counted, options
from trl_doctor.files.launch.runners import is_tool
from trl_doctor.files.launch.shell.variables import Word

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


def program(
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
            alone(cluster, variables, srun=srun),
            "",
            variables,
            module=True,
        )
    return (
        _script(
            words[0],
            _named(arguments[0]),
            arguments[1:],
            alone(cluster, variables, srun=srun),
            "",
            variables,
        )
        if arguments
        else None
    )


ALONE = "python starts one process"


def alone(cluster: Cluster, variables: Mapping[str, str], *, srun: bool) -> tuple[int | None, str]:
    """How many processes `python` is in: one, or one for each of Slurm's tasks."""
    if variables.get("PET_NNODES", "1") != "1":
        return None, ""  # an operator of Kubernetes may start it on each node
    if not srun:
        return 1, ALONE
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
