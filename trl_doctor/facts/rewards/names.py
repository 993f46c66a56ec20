"""The reward functions that a run names."""

from __future__ import annotations

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.partly import Partly
from trl_doctor.facts.rewards.of_script import of_script


def named(facts: Facts) -> tuple[str, ...]:
    """The functions that the run names. Raises `NotConcerned` if there are none."""
    run = facts.run
    if isinstance(run.file, Unavailable):
        raise run.file
    if isinstance(run.arguments, Partly) and "reward_funcs" in run.arguments.unknown:
        value: Json = list(facts[of_script].names)
    else:
        value = run.arguments.get("reward_funcs")
    if not value:
        raise NotConcerned("the run names no reward functions (reward_funcs)")
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    if run.trainer.name not in ("grpo", "rloo"):
        raise NotConcerned(f"only GRPO and RLOO call reward functions, not {run.trainer.name}")
    listed = value if isinstance(value, list) else [value]
    names = tuple(item for item in listed if isinstance(item, str))
    if len(names) != len(listed):
        raise Unavailable("reward_funcs is not a list of names")
    return names
