"""The GPUs of a run, from the command line."""

from __future__ import annotations

import re

import click

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.machine.cards import Card, Stated, card, several


def stated_gpus(
    gpu: str | None,
    gpu_memory: str | None,
    nodes: int | None,
    zero: int | None,
    fsdp: bool,
    tensor_parallel: int | None,
) -> Stated | None:
    """The GPUs of `--gpu` and the other options; None where none is named.

    Raises `click.UsageError`.
    """
    if zero is not None and fsdp:
        raise click.UsageError("--zero and --fsdp cannot be combined")
    if gpu is None and gpu_memory is None:
        if nodes or zero is not None or fsdp or tensor_parallel:
            raise click.UsageError("--nodes, --zero, --fsdp and --tensor-parallel need --gpu")
        return None
    count, named_card = _card(gpu, gpu_memory)
    return Stated(named_card, count, nodes or 1, zero, fsdp, tensor_parallel or 0)


def _card(gpu: str | None, gpu_memory: str | None) -> tuple[int, Card]:
    from msgspec.structs import replace

    from trl_doctor.asking.limits import size

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
