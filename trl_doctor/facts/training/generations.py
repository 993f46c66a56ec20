"""Completions that GRPO and RLOO generate in a run, from its arguments."""

from __future__ import annotations

from fractions import Fraction

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import accepted
from trl_doctor.facts.training.batches import sizes

GROUPED = ("grpo", "rloo")
"""Trainers that generate several completions of each row."""


def whole_argument(facts: Facts, key: str, otherwise: int) -> int:
    """A whole number from the run, else from the installed or newest release."""
    value = facts.run.number(key)
    if value is None and not isinstance(facts.run.trainer, Unavailable):
        field = accepted(facts.environment, facts.run.trainer).fields.get(key)
        try:
            value = float(field.default) if field and field.default else None
        except ValueError:
            value = None
    return int(otherwise if value is None else value)


def completions(facts: Facts, count: int) -> int:
    """The completions that GRPO or RLOO trains on in one epoch of so many rows.

    Rows that do not fill a whole generation are left out, and each completion is trained on
    `num_iterations` times, as TRL's `RepeatSampler` does it.
    """
    generations = whole_argument(facts, "num_generations", 8)
    if total := facts.get(sizes):
        prompts = total.generation_batch(facts.run.processes or 1) // max(1, generations)
        count = count // prompts * prompts if 0 < prompts <= count else count
    return count * generations * whole_argument(facts, "num_iterations", 1)


def steps_a_generation(facts: Facts) -> Fraction:
    """How many steps of the optimizer GRPO or RLOO takes with what is generated at once."""
    total = facts.get(sizes)
    batches = max(1, whole_argument(facts, "gradient_accumulation_steps", 1))
    if total is None:
        return Fraction(1)
    processes = facts.run.processes or 1
    times = total.generation_batch(processes) // total.global_batch(processes)
    return Fraction(max(1, times) * whole_argument(facts, "num_iterations", 1), batches)
