"""The sampling values that a run's trainer uses for generation: its arguments, else defaults."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.finding import Json
from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.library import accepted

KEYS = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")

SINCE = {"grpo": Version("0.14.0"), "rloo": Version("0.22.0")}
"""The first trl that has each trainer in its present form; RLOO was another trainer before."""


class SamplingRequest(Struct, frozen=True):
    """The sampling values that a trainer of a release passes to generation.

    `values` has the keys that this release passes; None is a value that is not set. `routes` has
    the keys that the run file states, with their paths in it.
    """

    trl: Version
    trainer: Trainer
    values: Mapping[str, float | None]
    routes: Mapping[str, tuple[str, ...]]


def sampling_request(facts: Facts) -> SamplingRequest:
    """Raises `NotConcerned` without GRPO or RLOO, `Unavailable` if trl is not known."""
    trainer, trl = _trainer(facts), facts.environment.known_version("trl")
    if trl < SINCE[trainer.name]:
        raise NotConcerned(f"{trainer.trainer} of trl {trl} is another trainer")
    fields = accepted(facts.environment, trainer).config
    arguments = facts.run.arguments
    keywords = arguments.get("generation_kwargs")
    extra = keywords if isinstance(keywords, dict) else {}
    values = {key: number(fields[key].literal) for key in KEYS if key in fields}
    values |= {key: number(arguments[key]) for key in KEYS if key in arguments}
    values |= {key: number(extra[key]) for key in KEYS if key in extra}
    routes: dict[str, tuple[str, ...]] = {key: (key,) for key in KEYS if key in arguments}
    routes |= {key: ("generation_kwargs", key) for key in KEYS if key in extra}
    return SamplingRequest(trl, trainer, values, routes)


def _trainer(facts: Facts) -> Trainer:
    run, trainer = facts.run, facts.run.trainer
    if isinstance(run.file, Unavailable):
        raise run.file
    if run.file is None:
        raise NotConcerned("a model folder has no sampling settings of a run")
    no_other_program(facts)
    if isinstance(trainer, Unavailable):
        raise trainer
    if trainer.name not in SINCE:
        raise NotConcerned("only GRPO and RLOO runs are affected")
    return trainer


def number(value: Json) -> float | None:
    """A number, or a text that is a number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None
