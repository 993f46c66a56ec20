"""The GPUs of a run: from the command line, and from the launch file that starts it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click
from msgspec import Struct
from msgspec.structs import replace

from trl_doctor.checkup.request import Request
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.target import Target

if TYPE_CHECKING:
    from trl_doctor.machine.cards import Card, Stated


class GpuOptions(Struct, frozen=True):
    """What the options of a command say of the GPUs, as they were given."""

    gpu: str | None = None
    gpu_memory: str | None = None
    nodes: int | None = None
    zero: int | None = None
    fsdp: bool = False
    tensor_parallel: int | None = None

    @property
    def names_gpu(self) -> bool:
        """Whether they say which GPU, by its name or by its memory."""
        return self.gpu is not None or self.gpu_memory is not None


def gpu_options(request: Request) -> GpuOptions:
    """The options of a request. Raises `click.UsageError` if they mean nothing."""
    options = GpuOptions(**{name: getattr(request, name) for name in GpuOptions.__struct_fields__})
    if options.zero is not None and options.fsdp:
        raise click.UsageError("--zero and --fsdp cannot be combined")
    if options.names_gpu:
        _of_options(options)
    return options


def stated_gpus(options: GpuOptions, target: Target | None = None) -> Stated | Unavailable | None:
    """The GPUs of the options; what they do not say, the target's launch file may.

    None if no GPU is named, `Unavailable` if the launch file's GPU is not known, or where
    options need one. Raises `click.UsageError`.
    """
    launch = target.launch if target else None
    if launch is None and options == GpuOptions():
        return None
    from trl_doctor.files.launch.cluster import Cluster
    from trl_doctor.machine.cards import several

    cluster = launch.cluster if launch else Cluster()
    gpu, from_file = options.gpu, not options.names_gpu and bool(cluster.gpu)
    gpu = cluster.gpu if from_file else gpu
    if gpu is None and options.gpu_memory is None:
        others = options.nodes or options.zero is not None or options.fsdp
        if others or options.tensor_parallel:
            return Unavailable("--nodes, --zero, --fsdp and --tensor-parallel need --gpu")
        return None
    if gpu and cluster.gpus_per_node and several(gpu) == (1, gpu):
        gpu = f"{cluster.gpus_per_node}x{gpu}"
    nodes = options.nodes or (cluster.nodes if gpu else None)
    with_launch = replace(options, gpu=gpu, nodes=nodes)
    if not from_file or target is None or target.launched_by is None:
        return _of_options(with_launch)
    name = target.launched_by.name
    try:
        return replace(_of_options(with_launch), stated_in=name)
    except click.UsageError as error:
        return Unavailable(
            f"{name} asks for {cluster.gpu}: {error.message.removeprefix('--gpu: ')}"
        )


def _of_options(options: GpuOptions) -> Stated:
    from trl_doctor.machine.cards import Stated

    count, named_card = _card(options.gpu, options.gpu_memory)
    return Stated(
        named_card,
        count,
        options.nodes or 1,
        options.zero,
        options.fsdp,
        options.tensor_parallel or 0,
    )


def _card(gpu: str | None, gpu_memory: str | None) -> tuple[int, Card]:
    from trl_doctor.asking.limits import size
    from trl_doctor.machine.cards import Card, card, several

    try:
        memory = size(gpu_memory) if gpu_memory is not None else 0
    except ValueError as error:
        raise click.UsageError(f"--gpu-memory: {error}") from error
    if gpu is None:
        return 1, Card("", memory)
    if re.fullmatch(r"\s*\d+\s*", gpu) and memory:
        return max(1, int(gpu)), Card("", memory)
    count, name = several(gpu)
    if count < 1:
        raise click.UsageError(f"--gpu {gpu}: there is no GPU")
    try:
        known_card = card(name)
    except Unavailable as reason:
        if not memory:
            raise click.UsageError(f"--gpu: {reason}") from reason
        return count, Card(name, memory)
    return count, replace(known_card, memory=memory) if memory else known_card
