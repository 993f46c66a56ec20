"""The GPUs that the run will see: stated by the user, or those of this machine."""

from __future__ import annotations

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts

CAPABILITY = "compute-capability"
"""The user states the compute capability of the job's GPU as the version of this name."""

COUNT = "gpu-count"
"""The user states the number of GPUs of the job's machine as the version of this name."""


READS_NUMBERS = Version("0.22.1")
"""The last vLLM that takes every name in `CUDA_VISIBLE_DEVICES` for a number."""


class Card(Struct, frozen=True):
    """A GPU: its name and its compute capability."""

    name: str
    capability: tuple[int, int]


def cards(facts: Facts) -> tuple[Card, ...]:
    """The GPUs that the run will see, at least one; raises `Unavailable`."""
    from trl_doctor.machine.gpu import gpus, usable

    if stated := facts.environment.version(CAPABILITY):
        return (Card("the job's GPU", (stated.major, stated.minor)),)
    return tuple(Card(gpu.name, gpu.capability) for gpu in usable(gpus()))


def visible_count(facts: Facts) -> int:
    """How many GPUs a process that is started here sees; raises `Unavailable` for 0."""
    from trl_doctor.machine.gpu import gpus, usable

    stated = facts.environment.version(COUNT)
    return stated.major if stated else len(usable(gpus()))


def card_count(facts: Facts) -> int:
    """The number of GPUs of the machine, including hidden ones; raises `Unavailable` for 0."""
    from trl_doctor.machine.gpu import gpus

    stated = facts.environment.version(COUNT)
    count = stated.major if stated else len(gpus())
    if not count:
        raise Unavailable(
            "there is no GPU here: name the number with --with, for example --with gpu-count==2"
        )
    return count
