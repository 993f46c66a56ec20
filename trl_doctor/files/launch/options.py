"""The options of a launcher, and the number of processes that they ask for."""

from __future__ import annotations

from collections.abc import Mapping

from trl_doctor.files.launch.cluster import Cluster
from trl_doctor.files.launch.shell.variables import Word

SWITCHES = frozenset(
    {"--multi_gpu", "--use_deepspeed", "--use_fsdp", "--cpu", "--tpu", "--debug", "--module", "-m",
     "--no_python", "--standalone", "--same_network", "--dynamo_use_dynamic", "--quiet", "-q",
     "--downcast_bf16", "--use_megatron_lm", "--no-python", "--use-env"}
)  # fmt: skip
"""Options of launchers that take no value."""


def options(words: list[Word]) -> tuple[dict[str, str], list[Word], bool]:
    """The options of a launcher, what follows them, and whether that is a module."""
    flags: dict[str, str] = {}
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
        flags[name.lstrip("-").replace("-", "_")] = value
    return flags, words[at:], module


def counted(
    name: str, flags: Mapping[str, str], cluster: Cluster, variables: Mapping[str, str]
) -> tuple[int | None, str]:
    """The number of processes that a launcher starts on all machines, and its source.

    `variables` stand for options of torchrun that are not given (`PET_NNODES`).
    """
    if name.startswith("accelerate"):
        number = _number(flags.get("num_processes", flags.get("n")))
        return (number, "accelerate launch --num_processes") if number else (None, "")
    if name == "deepspeed":
        nodes, per_node = _number(flags.get("num_nodes", "1")), _number(flags.get("num_gpus"))
        return (nodes * per_node, "deepspeed --num_gpus") if nodes and per_node else (None, "")
    requested = flags.get("nproc_per_node", variables.get("PET_NPROC_PER_NODE", "1"))
    per_node = cluster.gpus_per_node if requested in ("gpu", "auto") else _number(requested)
    nodes = _number(flags.get("nnodes", variables.get("PET_NNODES", "1")))
    if per_node and nodes:
        return per_node * nodes, "torchrun --nproc_per_node"
    return None, ""


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() and 0 < int(text) < 10**6 else None
