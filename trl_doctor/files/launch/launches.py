"""What a command starts: a command of TRL or a script, with which arguments and processes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

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


@dataclass(frozen=True)
class Launch:
    """One line that starts a training.

    `command` is TRL's ("grpo") or "" for a script, which `script` names then. `words` are the
    arguments behind it. `processes` is the number of processes where the line or the file tells.
    `accelerate` is the config file of accelerate. `variables` are set where it is started.
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


@dataclass
class Cluster:
    """What the scheduler gives: nodes, tasks and GPUs of each node; None where nobody says."""

    nodes: int | None = None
    tasks: int | None = None
    tasks_per_node: int | None = None
    gpus_per_node: int | None = None

    @property
    def variables(self) -> dict[str, str]:
        """The variables that Slurm sets from it."""
        nodes = self.nodes or 1
        each = self.tasks_per_node
        tasks = self.tasks or (each * nodes if each else None)
        named = {
            "SLURM_NNODES": nodes, "SLURM_JOB_NUM_NODES": nodes, "SLURM_NTASKS": tasks,
            "SLURM_NTASKS_PER_NODE": each, "SLURM_GPUS_ON_NODE": self.gpus_per_node,
            "SLURM_GPUS_PER_NODE": self.gpus_per_node,
        }  # fmt: skip
        return {name: str(value) for name, value in named.items() if value is not None}


def launches(text: str, shell: Shell, cluster: Cluster, first: int = 1) -> Iterator[Launch]:
    """The lines of a shell text that start a training, in their order."""
    for words in commands(text, shell, first):
        yield from of_words(words, shell, cluster)


def of_words(words: Sequence[Word], shell: Shell, cluster: Cluster) -> Iterator[Launch]:
    """What a command starts; nothing where it starts no training."""
    known = {name: held for name in shell.variables if (held := shell.value(name)) is not None}
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
        found = _program(words[at:], cluster, known, srun=any(w.text == "srun" for w in words[:at]))
        if found is not None:
            yield found
            return
        if at == 0 and name not in PREFIXES and not _may_lead(word.text):
            return


def _may_lead(text: str) -> bool:
    """Whether a first word can be followed by the command that counts."""
    return text in ("then", "do", "else", "{", "if", "!", "@") or "=" in text


def _program(
    words: Sequence[Word], cluster: Cluster, known: Mapping[str, str], *, srun: bool
) -> Launch | None:
    head, name = words[0], PurePosixPath(words[0].text).name
    if name == "trl" and len(words) > 1:
        return _made(head, words[1].text, "", words[2:], (None, ""), "", known)
    if name in LAUNCHERS:
        return _launched(words, name, cluster, known, srun=srun)
    if PYTHON.match(words[0].text):
        return _python(words, cluster, known, srun=srun)
    return None


def _python(
    words: Sequence[Word], cluster: Cluster, known: Mapping[str, str], *, srun: bool
) -> Launch | None:
    rest = list(words[1:])
    while rest and rest[0].text.startswith("-") and rest[0].text != "-m":
        if rest[0].text == "-c":
            return None
        rest = rest[1:] if rest[0].text not in ("-W", "-X") else rest[2:]
    if len(rest) > 1 and rest[0].text == "-m":
        module = rest[1].text
        if module in ("torch.distributed.run", "torch.distributed.launch"):
            return _launched([words[0], *rest[2:]], "torchrun", cluster, known, srun=srun)
        if module.startswith("accelerate.commands.launch"):
            return _launched(
                [words[0], words[0], *rest[2:]], "accelerate", cluster, known, srun=srun
            )
        return _script(words[0], module, rest[2:], _alone(cluster, srun), "", known, module=True)
    return (
        _script(words[0], rest[0].text, rest[1:], _alone(cluster, srun), "", known)
        if rest
        else None
    )


def _alone(cluster: Cluster, srun: bool) -> tuple[int | None, str]:
    """How many processes `python` is in: one, or one for each of Slurm's tasks."""
    if not srun:
        return 1, "python starts one process"
    tasks = cluster.tasks or (cluster.tasks_per_node or 0) * (cluster.nodes or 1)
    return (tasks, "srun starts one for each task") if tasks else (None, "")


def _launched(
    words: Sequence[Word], name: str, cluster: Cluster, known: Mapping[str, str], *, srun: bool
) -> Launch | None:
    rest = list(words[1:])
    if name == "accelerate":
        if not rest or rest[0].text != "launch":
            return None
        rest = rest[1:]
    options, rest, module = _options(rest)
    if not rest:
        return None
    counted = _counted(name, options, cluster)
    config = options.get("config_file", "") if name.startswith("accelerate") else ""
    return _script(words[0], rest[0].text, rest[1:], counted, config, known, module=module)


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


def _counted(name: str, options: Mapping[str, str], cluster: Cluster) -> tuple[int | None, str]:
    """The number of processes that a launcher starts over all machines, and who says so."""
    if name.startswith("accelerate"):
        number = _number(options.get("num_processes", options.get("n")))
        return (number, "accelerate launch --num_processes") if number else (None, "")
    if name == "deepspeed":
        nodes, each = _number(options.get("num_nodes", "1")), _number(options.get("num_gpus"))
        return (nodes * each, "deepspeed --num_gpus") if nodes and each else (None, "")
    said = options.get("nproc_per_node", "1")
    each = cluster.gpus_per_node if said in ("gpu", "auto") else _number(said)
    nodes = _number(options.get("nnodes", "1"))
    if each and nodes:
        return each * nodes, "torchrun --nproc_per_node"
    return None, ""


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() and 0 < int(text) < 10**6 else None


def _script(
    head: Word,
    name: str,
    words: Sequence[Word],
    counted: tuple[int | None, str],
    config: str,
    known: Mapping[str, str],
    *,
    module: bool = False,
) -> Launch | None:
    own = OWN_SCRIPT.match(name)
    if own:
        return _made(head, own[1] or own[2], "", words, counted, config, known)
    if module:
        name = name.replace(".", "/") + ".py"
    if not name.endswith(".py"):
        return None
    return _made(head, "", name, words, counted, config, known)


def _made(
    head: Word,
    command: str,
    script: str,
    words: Sequence[Word],
    counted: tuple[int | None, str],
    config: str,
    known: Mapping[str, str],
) -> Launch:
    return Launch(
        head.line, head.column, command, script, tuple(words), *counted, config, dict(known)
    )
