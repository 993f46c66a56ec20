"""How far a checkup goes: from the files alone to one real step, and on which device."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from trl_doctor.asking.oracle import Conditions, NoOracle, Oracle
from trl_doctor.core.question import Device, Level
from trl_doctor.core.sizes import GIB, shown
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.hardware import READS_NUMBERS
from trl_doctor.machine import gpu, torch_build
from trl_doctor.machine.environment import Environment

if TYPE_CHECKING:
    from trl_doctor.asking.limits import ProbeLimits

NEEDED = ("torch", "trl", "transformers")

NOT_USED = "the real libraries were not used: "
"""The beginning of the reason; the rest says what uses them."""
NAME_IT = "name the environment of the job with --python"

ON_CPU = {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}
"""No GPU is seen; one thread a probe, for several run side by side and the tensors are tiny."""


FREE = 8 * GIB
"""Free memory that a GPU must have for `auto`: a small step takes less than half of it."""


def oracle_for(
    level: Level | None,
    device: str,
    environment: Environment,
    limits: ProbeLimits | None = None,
    *,
    trust_remote_code: bool = False,
    keep: Path | None = None,
) -> Oracle:
    """The oracle that answers the rules: the probes, or one that answers nothing and says why.

    `level` None is "tiny" where the target interpreter has what it needs. `device` is "auto",
    "cpu" or "cuda". With `keep` what the probes did is left in that folder. Raises `Unavailable`
    where a level or a device was asked for that cannot be had, or nothing can be written to `keep`.
    """
    if level == "files":
        return NoOracle(f"{NOT_USED}--level tiny uses them")
    obstacle = _obstacle(environment)
    if obstacle and level:
        raise Unavailable(
            f"the real libraries are needed: {obstacle} in {environment.python}; {NAME_IT}"
        )
    if obstacle:
        return NoOracle(f"{NOT_USED}{obstacle}; {NAME_IT}")
    from trl_doctor.asking.keep import writable
    from trl_doctor.asking.limits import ProbeLimits
    from trl_doctor.asking.probes import Probes

    chosen, card, why = _device(device, environment)
    limits = limits or ProbeLimits()
    if keep:
        writable(keep)
    return Probes(
        environment.python,
        Conditions(level or "tiny", chosen, trust_remote_code, limits.seconds, why),
        ON_CPU if card is None else gpu.named(card, _by_number(environment)),
        limits,
        at_once=1 if chosen == "cuda" else max(2, min(4, os.cpu_count() or 2)),
        keep=keep,
    )


def _obstacle(environment: Environment) -> str:
    """Why the probes cannot run in the target interpreter; empty if they can."""
    for name in NEEDED:
        there = environment.installed_version(name)
        if there is None:
            return f"{name} is not installed"
        stated = environment.version(name)
        if stated and stated != there and str(stated) != there.public:
            return f"{name} {stated} was given with --with, {there} is installed"
    return ""


def _device(wanted: str, environment: Environment) -> tuple[Device, gpu.Gpu | None, str]:
    """The device, its GPU (None on the CPU), and why it is the CPU where a GPU is here.

    Raises `Unavailable` where "cuda" is wanted and cannot be had.
    """
    if wanted == "cpu":
        return "cpu", None, ""
    try:
        return "cuda", _gpu(environment, FREE if wanted == "auto" else 0), ""
    except Unavailable as reason:
        if wanted == "cuda":
            raise Unavailable(f"--device cuda: {reason}") from reason
        nothing_to_tell = isinstance(reason, gpu.NoDriver | gpu.Hidden)
        return "cpu", None, "" if nothing_to_tell else str(reason)


def _by_number(environment: Environment) -> bool:
    """Whether the GPU must be named by its number, as the user does who names none."""
    vllm = environment.version("vllm")
    return vllm is not None and vllm <= READS_NUMBERS and gpu.VISIBLE not in os.environ


def _gpu(environment: Environment, needed: int) -> gpu.Gpu:
    """The visible GPU with the most free memory, of `needed` bytes at least.

    Raises `Unavailable` where there is none, or torch cannot use it.
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
