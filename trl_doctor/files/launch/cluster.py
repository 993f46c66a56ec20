"""What a launch file asks a scheduler for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeGuard

from msgspec import Struct

from trl_doctor.core.finding import Json

DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*SBATCH[ \t]+([^#\n]*)", re.MULTILINE)
OPTION = re.compile(r"(--?[\w-]+)(?:[=\s]\s*|(?<=-\w))([^\s-][^\s]*)")


class Cluster(Struct, frozen=True):
    """The scheduler's resources: nodes, tasks and GPUs per node; None where it states none.

    `gpu` is the name of the GPU, as the file writes it.
    """

    nodes: int | None = None
    tasks: int | None = None
    tasks_per_node: int | None = None
    gpus_per_node: int | None = None
    gpu: str = ""

    @property
    def variables(self) -> dict[str, str]:
        """The variables that Slurm sets from it."""
        nodes = self.nodes or 1
        per_node = self.tasks_per_node
        tasks = self.tasks or (per_node * nodes if per_node else None)
        named = {
            "SLURM_NNODES": nodes, "SLURM_JOB_NUM_NODES": nodes, "SLURM_NTASKS": tasks,
            "SLURM_NTASKS_PER_NODE": per_node, "SLURM_GPUS_ON_NODE": self.gpus_per_node,
            "SLURM_GPUS_PER_NODE": self.gpus_per_node,
        }  # fmt: skip
        return {name: str(value) for name, value in named.items() if value is not None}


def of_slurm(text: str) -> Cluster:
    """The resources that the directives of Slurm request."""
    options: dict[str, str] = {}
    for line in DIRECTIVE.findall(text):
        for name, value in OPTION.findall(line):
            options[name] = value
    gpus = options.get("--gpus-per-node") or options.get("--gres") or options.get("--gpus-per-task")
    nodes = _last(options.get("--nodes") or options.get("-N"))
    per_node = _last(gpus)
    if not gpus and (gpus := options.get("--gpus") or options.get("-G")):
        per_node = (_last(gpus) or 0) // (nodes or 1) or None
    return Cluster(
        nodes,
        _last(options.get("--ntasks") or options.get("-n")),
        _last(options.get("--ntasks-per-node")),
        per_node,
        _named(gpus),
    )


def _last(value: str | None) -> int | None:
    """The number at the end of `gpu:a100:8`."""
    text = (value or "").rpartition(":")[2].partition("(")[0]
    return int(text) if text.isdigit() and 0 < int(text) < 10**6 else None


def _named(value: str | None) -> str:
    """The name in `gpu:a100:8`."""
    words = (value or "").partition("(")[0].split(":")
    return next((word for word in words if word != "gpu" and not word.isdigit()), "")


def of_yaml(value: Json) -> Cluster:
    """The GPUs of a pod (`nvidia.com/gpu: 8`) or of a node of SkyPilot (`accelerators: H100:8`)."""
    for name, inner in _entries(value):
        if name == "nvidia.com/gpu":
            return Cluster(gpus_per_node=_last(str(inner)))
        if name == "accelerators":
            pairs = [f"{one}:{count}" for one, count in inner.items()] if _maps(inner) else [inner]
            card, _, count = str(pairs[0]).partition(":")
            nodes = value.get("num_nodes") if isinstance(value, dict) else None
            asked = nodes if isinstance(nodes, int) else None
            return Cluster(asked, gpus_per_node=_last(f":{count or 1}"), gpu=card)
    return Cluster()


def _maps(value: Json) -> TypeGuard[dict[str, Json]]:
    return isinstance(value, dict) and bool(value)


def _entries(value: Json) -> Iterator[tuple[str, Json]]:
    """Every key with its value, at any depth."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name, inner
            yield from _entries(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _entries(inner)
