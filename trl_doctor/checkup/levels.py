"""How far a checkup goes: from the files alone to one real step, and on what device."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from trl_doctor.asking.oracle import Conditions, NoOracle, Oracle
from trl_doctor.core.question import Device, Level
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.machine import gpu
from trl_doctor.machine.environment import Environment

if TYPE_CHECKING:
    from trl_doctor.asking.limits import ProbeLimits

NEEDED = ("torch", "trl", "transformers")

ON_CPU = {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}
"""No GPU is seen; one thread a probe, for several run side by side and the tensors are tiny."""


def whom_to_ask(
    level: Level | None,
    device: str,
    environment: Environment,
    limits: ProbeLimits | None = None,
    *,
    trust_remote_code: bool = False,
    keep: Path | None = None,
) -> Oracle:
    """Who answers the questions of the rules: the probes, or nobody for a reason.

    `level` None is "tiny" where the target interpreter has what it needs. `device` is "auto",
    "cpu" or "cuda". With `keep` what the probes did is left in that folder. Raises `Unavailable`
    where a level or a device was asked for that cannot be had, or nothing can be written to `keep`.
    """
    if level == "files":
        return NoOracle("--level files: the real libraries were not asked")
    hindrance = _hindrance(environment)
    if hindrance and level:
        raise Unavailable(f"--level {level}: {hindrance} in {environment.python}")
    if hindrance:
        return NoOracle(f"the real libraries were not asked: {hindrance}")
    from trl_doctor.asking.keep import writable
    from trl_doctor.asking.limits import ProbeLimits
    from trl_doctor.asking.probes import Probes

    chosen, card = _device(device, environment)
    limits = limits or ProbeLimits()
    if keep:
        writable(keep)
    return Probes(
        environment.python,
        Conditions(level or "tiny", chosen, trust_remote_code, limits.seconds),
        ON_CPU if card is None else {"CUDA_VISIBLE_DEVICES": card},
        limits,
        at_once=1 if chosen == "cuda" else max(2, min(4, os.cpu_count() or 2)),
        keep=keep,
    )


def _hindrance(environment: Environment) -> str:
    """Why the target interpreter cannot be asked; empty where it can."""
    for name in NEEDED:
        there = environment.installed_version(name)
        if there is None:
            return f"{name} is not installed"
        stated = environment.version(name)
        if stated and stated != there and str(stated) != there.public:
            return f"{name} {stated} is stated, {there} is installed"
    return ""


def _device(wanted: str, environment: Environment) -> tuple[Device, str | None]:
    """The device, and the GPU as CUDA_VISIBLE_DEVICES names it (None on the CPU)."""
    if wanted == "cpu":
        return "cpu", None
    try:
        cards = gpu.visible(gpu.gpus())
        build = gpu.torch_build(environment)
    except Unavailable as reason:
        return _no_gpu(wanted, str(reason))
    if not cards:
        return _no_gpu(wanted, "no GPU is visible here")
    if build.cuda is None and not build.hip:
        return _no_gpu(wanted, f"torch {build.version} is built without CUDA")
    return "cuda", cards[0].uuid


def _no_gpu(wanted: str, reason: str) -> tuple[Device, str | None]:
    if wanted == "cuda":
        raise Unavailable(f"--device cuda: {reason}")
    return "cpu", None
