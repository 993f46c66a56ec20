"""What a launch file asks a scheduler for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeGuard

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.files.launch.directives import COMPONENTS, directives, values

FEATURE = re.compile(r"(rtx[_-]?)?[abhlvt]\d{1,3}[a-z]?([_-]\d+g?b?)?")
"""A feature of a node that is the name of a GPU."""

PRODUCTS = ("nvidia.com/gpu.product", "cloud.google.com/gke-accelerator")
"""The labels of nodes that name their GPU."""

SKY = {"A100": "A100-40GB", "V100": "V100-16GB"}
"""Names that mean one size only in SkyPilot's catalog."""


class Cluster(Struct, frozen=True):
    """The scheduler's resources: nodes, tasks and GPUs per node; None if it states none.

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
        values = {
            "SLURM_NNODES": nodes, "SLURM_JOB_NUM_NODES": nodes, "SLURM_NTASKS": tasks,
            "SLURM_NTASKS_PER_NODE": per_node, "SLURM_GPUS_ON_NODE": self.gpus_per_node,
            "SLURM_GPUS_PER_NODE": self.gpus_per_node,
        }  # fmt: skip
        return {name: str(value) for name, value in values.items() if value is not None}


def merged(outer: Cluster, own: Cluster) -> Cluster:
    """What a job asks for: options of `sbatch` win over its own lines."""
    return Cluster(
        outer.nodes or own.nodes,
        outer.tasks or own.tasks,
        outer.tasks_per_node or own.tasks_per_node,
        outer.gpus_per_node or own.gpus_per_node,
        outer.gpu or own.gpu,
    )


def of_slurm(text: str) -> Cluster:
    """The resources that the directives of Slurm request; none for a job of several components."""
    given = directives(text)
    if values(given, *COMPONENTS):
        return Cluster()

    def last(*names: str) -> str:
        return next(iter(reversed(values(given, *names))), "")

    tasks, per_node = _last(last("--ntasks", "-n")), _last(last("--ntasks-per-node"))
    nodes = _last(last("--nodes", "-N"))
    if nodes is None and tasks and per_node and tasks % per_node == 0:
        nodes = tasks // per_node
    on_node = per_node or _shared(tasks, nodes or 1) or 1
    gres = ",".join(part for part in last("--gres").split(",") if part.startswith("gpu"))
    of_node, of_task = last("--gpus-per-node") or gres, last("--gpus-per-task")
    in_all = last("--gpus", "-G")
    per_task = _count(of_task)
    return Cluster(
        nodes,
        tasks,
        per_node,
        _count(of_node) or (per_task and per_task * on_node) or _shared(_count(in_all), nodes or 1),
        _gpu_name(of_node or of_task) or _gpu_name(in_all) or _feature(last("--constraint", "-C")),
    )


def _shared(count: int | None, nodes: int) -> int | None:
    """The GPUs of each node, where the nodes share them out evenly."""
    return count // nodes if count and count % nodes == 0 else None


def _feature(constraint: str) -> str:
    """The GPU that a constraint on nodes names, if it names nothing else."""
    name = constraint.lower().removeprefix("gpu_")
    return name if FEATURE.fullmatch(name) else ""


def _count(value: str) -> int | None:
    """The GPUs of `gpu:a100:4,gpu:v100:4`; None if one of the parts states no number."""
    counts = [_last(part) for part in value.split(",")]
    return None if None in counts else sum(filter(None, counts))


def _last(value: str) -> int | None:
    """The number at the end of `gpu:a100:8`."""
    text = value.partition("(")[0].rpartition(":")[2]
    return int(text) if text.isdigit() and 0 < int(text) < 10**6 else None


def _gpu_name(value: str) -> str:
    """The name in `gpu:a100:8`; "" for none, or several."""
    words = value.partition("(")[0].split(":")
    names = [word for word in words if word != "gpu" and not word.isdigit()]
    return names[0] if names and "," not in value else ""


def of_yaml(value: Json) -> Cluster:
    """The GPUs of a pod (`nvidia.com/gpu: 8`, and a label of its node that names the product) or of
    a node of SkyPilot (`accelerators: H100:8`).
    """
    pods: set[int | None] = set()
    product = ""
    for name, inner in _entries(value):
        if name == "nvidia.com/gpu":
            pods.add(_last(str(inner)))
        elif name in PRODUCTS and isinstance(inner, str):
            product = product or inner
        elif name == "key" and inner in PRODUCTS:
            product = product or _affine(value, str(inner))
        elif name == "accelerators":
            return _of_sky(inner, value)
    count = pods.pop() if len(pods) == 1 else None  # else containers differ
    return Cluster(gpus_per_node=count, gpu=product) if count or product else Cluster()


def _affine(value: Json, label: str) -> str:
    """The only product that an affinity allows (`key`, `operator: In`, `values`)."""
    for _, inner in _entries({"": value}):
        for item in inner if isinstance(inner, list) else ():
            if isinstance(item, dict) and item.get("key") == label and item.get("operator") == "In":
                values = item.get("values")
                if isinstance(values, list) and len(values) == 1:
                    return str(values[0])
    return ""


def _of_sky(inner: Json, file: Json) -> Cluster:
    """The accelerators of SkyPilot: `H100:8`, `{H100: 8}`, or a list of which one is taken."""
    pairs: list[Json] = [inner]
    if _maps(inner):
        pairs = [f"{name}:{count}" for name, count in inner.items()]
    elif isinstance(inner, list) and inner:
        pairs = inner
    card, _, count = str(pairs[0]).partition(":")
    nodes = file.get("num_nodes") if isinstance(file, dict) else None
    number = nodes if isinstance(nodes, int) else None
    return Cluster(number, gpus_per_node=_last(f":{count or 1}"), gpu=SKY.get(card.upper(), card))


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
