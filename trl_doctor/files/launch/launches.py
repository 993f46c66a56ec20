"""What a command starts: a command of TRL or a script, with which arguments and processes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.variables import Shell, Word
from trl_doctor.files.launch.words import commands

PREFIXES = frozenset(
    {"srun", "exec", "nohup", "time", "sudo", "env", "uv", "poetry", "pipenv", "conda", "pixi",
     "mpirun", "singularity", "apptainer", "docker", "podman", "nice", "timeout", "stdbuf"}
)  # fmt: skip
"""What runs another command that follows in the same line."""

PYTHON = re.compile(r"(?:.*/)?python[\d.]*$")
OWN_SCRIPT = re.compile(r"(?:.*/)?trl/scripts/(\w+)\.py$|^trl\.scripts\.(\w+)$")
LAUNCHERS = ("accelerate", "torchrun", "deepspeed", "accelerate-launch")
SWITCHES = frozenset(
    {"--multi_gpu", "--use_deepspeed", "--use_fsdp", "--cpu", "--tpu", "--debug", "--module", "-m",
     "--no_python", "--standalone", "--same_network", "--dynamo_use_dynamic", "--quiet", "-q",
     "--downcast_bf16", "--use_megatron_lm", "--no-python", "--use-env"}
)  # fmt: skip
"""Options of launchers that take no value."""


class Launch(Struct, frozen=True):
    """One line that starts a training.

    `command` is TRL's ("grpo"), or "" for a script, whose name is then in `script`. `words` are the
    arguments after it. `processes` is the number of processes if the line or the file states it.
    `accelerate` is the config file of accelerate. `variables` are set where the line starts.
    `whole` is the command with its program, `cluster` what the file asks the scheduler for.
    """

    line: int
    column: int
    command: str
    script: str
    words: tuple[Word, ...]
    processes: int | None = None
    processes_from: str = ""
    accelerate: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    whole: tuple[Word, ...] = ()
    cluster: Cluster = field(default_factory=Cluster)


def launches(text: str, shell: Shell, cluster: Cluster, first: int = 1) -> Iterator[Launch]:
    """The lines of a shell text that start a training, in their order."""
    for words in commands(text, shell, first):
        yield from of_words(words, shell, cluster)


def of_words(words: Sequence[Word], shell: Shell, cluster: Cluster) -> Iterator[Launch]:
    """The training that a command starts; nothing if it starts none."""
    variables = {
        name: value for name in shell.variables if (value := shell.value(name)) is not None
    }
    for at, word in enumerate(words):
        name = PurePosixPath(word.text).name
        if name in ("bash", "sh") and at + 2 < len(words) and words[at + 1].text in ("-c", "-lc"):
            inner = words[at + 2]
            yield from launches(inner.inner, Shell(dict(shell.variables)), cluster, inner.line)
            return
        if name == "eval" and at + 1 < len(words):
            inner = words[at + 1]
            yield from launches(inner.inner, Shell(dict(shell.variables)), cluster, inner.line)
            return
        launch = _program(
            words[at:], cluster, variables, srun=any(w.text == "srun" for w in words[:at])
        )
        if launch is not None:
            yield replace(launch, whole=tuple(words[at:]))
            return
        if at == 0 and name not in PREFIXES and not _may_lead(word.text):
            return


def _may_lead(text: str) -> bool:
    """Whether a first word can be followed by the command that counts."""
    return text in ("then", "do", "else", "{", "if", "!", "@") or "=" in text


def _program(
    words: Sequence[Word], cluster: Cluster, variables: Mapping[str, str], *, srun: bool
) -> Launch | None:
    head, name = words[0], PurePosixPath(words[0].text).name
    if name == "trl" and len(words) > 1:
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
        if module in ("torch.distributed.run", "torch.distributed.launch"):
            return _launched([words[0], *arguments[2:]], "torchrun", cluster, variables, srun=srun)
        if module.startswith("accelerate.commands.launch"):
            return _launched(
                [words[0], words[0], *arguments[2:]], "accelerate", cluster, variables, srun=srun
            )
        return _script(
            words[0], module, arguments[2:], _alone(cluster, srun), "", variables, module=True
        )
    return (
        _script(words[0], arguments[0].text, arguments[1:], _alone(cluster, srun), "", variables)
        if arguments
        else None
    )


def _alone(cluster: Cluster, srun: bool) -> tuple[int | None, str]:
    """How many processes `python` is in: one, or one for each of Slurm's tasks."""
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
    options, arguments, module = _options(arguments)
    if not arguments:
        return None
    counted = _counted(name, options, cluster)
    config = options.get("config_file", "") if name.startswith("accelerate") else ""
    return _script(
        words[0], arguments[0].text, arguments[1:], counted, config, variables, module=module
    )


def _options(words: list[Word]) -> tuple[dict[str, str], list[Word], bool]:
    """The options of a launcher, what follows them, and whether that is a module."""
    options: dict[str, str] = {}
    module, at = False, 0
    while at < len(words) and words[at].text.startswith("-"):
        name, equals, value = words[at].text.partition("=")
        at += 1
        if name in ("-m", "--module"):
            module = True
            continue
        if name in SWITCHES:
            continue
        if not equals and at < len(words):
            value = "" if words[at].open else words[at].text
            at += 1
        elif equals and words[at - 1].open:
            value = ""
        options[name.lstrip("-").replace("-", "_")] = value
    return options, words[at:], module


def launcher_options(launch: Launch) -> dict[str, str]:
    """The options of the launcher itself; a switch has an empty value."""
    words = [word for word in launch.whole if word.text != "launch"][1:]
    switches = {word.text.lstrip("-"): "" for word in words if word.text in SWITCHES}
    named = {"config_file": launch.accelerate} if launch.accelerate else {}
    return {**named, **switches, **_options(words)[0]}


def _counted(name: str, options: Mapping[str, str], cluster: Cluster) -> tuple[int | None, str]:
    """The number of processes that a launcher starts on all machines, and its source."""
    if name.startswith("accelerate"):
        number = _number(options.get("num_processes", options.get("n")))
        return (number, "accelerate launch --num_processes") if number else (None, "")
    if name == "deepspeed":
        nodes, per_node = _number(options.get("num_nodes", "1")), _number(options.get("num_gpus"))
        return (nodes * per_node, "deepspeed --num_gpus") if nodes and per_node else (None, "")
    requested = options.get("nproc_per_node", "1")
    per_node = cluster.gpus_per_node if requested in ("gpu", "auto") else _number(requested)
    nodes = _number(options.get("nnodes", "1"))
    if per_node and nodes:
        return per_node * nodes, "torchrun --nproc_per_node"
    return None, ""


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() and 0 < int(text) < 10**6 else None


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
