"""The device of the real libraries: the CPU, or a GPU of this machine that is free enough."""

from __future__ import annotations

import os

from trl_doctor.core.question import Device
from trl_doctor.core.sizes import GIB, shown
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.launch.hardware import READS_NUMBERS
from trl_doctor.machine import gpu, torch_build
from trl_doctor.machine.environment import Environment

FREE = 8 * GIB
"""Free memory that a GPU must have for `auto`: a small step takes less than half of it."""


def chosen_device(choice: str, environment: Environment) -> tuple[Device, gpu.Gpu | None, str]:
    """The device, its GPU (None on the CPU), and why it is the CPU where a GPU is here.

    Raises `Unavailable` if "cuda" is wanted and cannot be had.
    """
    if choice == "cpu":
        return "cpu", None, ""
    try:
        return "cuda", _gpu(environment, FREE if choice == "auto" else 0), ""
    except Unavailable as reason:
        if choice == "cuda":
            raise Unavailable(f"--device cuda: {reason}") from reason
        nothing_to_tell = isinstance(reason, gpu.NoDriver | gpu.Hidden)
        return "cpu", None, "" if nothing_to_tell else str(reason)


def variables(card: gpu.Gpu, environment: Environment) -> dict[str, str]:
    """The environment variables with which a process uses this GPU."""
    return gpu.named(card, _by_number(environment))


def _by_number(environment: Environment) -> bool:
    """Whether the GPU must be named by its number, as the user does who names none."""
    vllm = environment.version("vllm")
    return vllm is not None and vllm <= READS_NUMBERS and gpu.VISIBLE not in os.environ


def _gpu(environment: Environment, needed: int) -> gpu.Gpu:
    """The visible GPU with the most free memory, of `needed` bytes at least.

    Raises `Unavailable` if there is none, or torch cannot use it.
    """
    torch_build.refuse_rocm(environment)
    every = gpu.gpus()
    usable = gpu.usable(every)
    if gpu.VISIBLE not in os.environ and not _by_number(environment):
        usable = every  # each instance can be named, though CUDA shows one of them
    if note := torch_build.driver_note(environment, usable):
        raise Unavailable(note)
    roomiest = gpu.roomiest(usable, needed)
    if roomiest is None:
        most = max(free_gpu.free for free_gpu in usable)
        raise Unavailable(
            f"the freest GPU has {shown(most)} free, and {shown(needed)} are needed beside what "
            "runs there"
        )
    return roomiest
