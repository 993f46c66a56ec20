"""How far a checkup goes: from the files alone to one real step, and on which device."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from trl_doctor.asking.oracle import Conditions, NoOracle, Oracle
from trl_doctor.core.question import Level
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.machine.environment import Environment

if TYPE_CHECKING:
    from trl_doctor.asking.limits import ProbeLimits

NEEDED = ("torch", "trl", "transformers")

NOT_USED = "the real libraries were not used: "
"""The beginning of the reason; the rest says what uses them."""
NAME_IT = "name the environment of the job with --python"

ON_CPU = {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}
"""No GPU is seen; one thread a probe, for several run side by side and the tensors are tiny."""


def oracle_for(
    level: Level | None,
    device: str,
    environment: Environment,
    limits: Callable[[], ProbeLimits] | None = None,
    *,
    trust_remote_code: bool = False,
    keep: Path | None = None,
) -> Oracle:
    """The oracle that answers the rules: the probes, or one that answers nothing and says why.

    `level` None is "tiny" where the target interpreter has what it needs. `device` is "auto",
    "cpu" or "cuda". `limits` are made only for probes that run. With `keep` what the probes did is
    left in that folder. Raises `Unavailable` if a level or a device was asked for that cannot be
    had, or nothing can be written to `keep`.
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
    from trl_doctor.checkup.device import chosen_device, variables

    chosen, card, why = chosen_device(device, environment)
    chosen_limits = limits() if limits else ProbeLimits()
    if keep:
        writable(keep)
    return Probes(
        environment.python,
        Conditions(level or "tiny", chosen, trust_remote_code, chosen_limits.seconds, why),
        ON_CPU if card is None else variables(card, environment),
        chosen_limits,
        at_once=1 if chosen == "cuda" else max(2, min(4, os.cpu_count() or 2)),
        keep=keep,
    )


def _obstacle(environment: Environment) -> str:
    """Why the probes cannot run in the target interpreter; empty if they can."""
    for name in NEEDED:
        installed = environment.installed_version(name)
        if installed is None:
            return f"{name} is not installed"
        stated = environment.version(name)
        if stated and stated != installed and str(stated) != installed.public:
            return f"{name} {stated} was given with --with, {installed} is installed"
    return ""
