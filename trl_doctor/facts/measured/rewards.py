"""The run's own reward functions, called by the target's TRL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from trl_doctor.asking.rendering import TemplateFailed
from trl_doctor.core.finding import Json
from trl_doctor.core.question import Answer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.trained_with import default_number
from trl_doctor.facts.chat_template import chat
from trl_doctor.facts.library import accepted
from trl_doctor.facts.measured.candidate import ready, without_weights
from trl_doctor.facts.rewards.names import named
from trl_doctor.facts.rewards.of_script import of_script
from trl_doctor.facts.special_tokens import tokenizer_facts

if TYPE_CHECKING:
    from trl_doctor.probes.answers.rewards import RewardsAnswer, RewardTrial

SECONDS = 100.0
"""The most seconds that all functions may take in the probe."""

SHARE = 0.5
"""Their most share of the time after which the probe is killed."""

LONGEST = 256
"""TRL's default limit of a completion, in tokens."""


class Reward(Struct, frozen=True, dict=True):
    """One reward function: its index and name in the run, and the probe's results."""

    index: int
    trial: RewardTrial
    name: str

    @property
    def state(self) -> str:
        """The outcome of the calls: see `RewardTrial`."""
        return self.trial.state

    @cached_property
    def values(self) -> Mapping[str, list[float]]:
        """The rewards by kind of completion, one per row."""
        return _by_kind(self.trial.values)

    @cached_property
    def exploits(self) -> Mapping[str, list[float]]:
        """The rewards of completions that should get nothing, by kind, one per row."""
        return _by_kind(self.trial.exploits)

    @cached_property
    def by_row(self) -> Mapping[int, set[str]]:
        """The different rewards of each row that several completions were tried on, in words."""
        rows: dict[int, list[str]] = {}
        for row, _, value in (*self.trial.values, *self.trial.exploits):
            rows.setdefault(row, []).append("None" if value != value else f"{value:g}")
        return {row: set(rewards) for row, rewards in rows.items() if len(rewards) > 1}

    @property
    def best(self) -> list[float]:
        """For each row the highest reward of a completion with the answer; NaN is ignored.

        Of a whole solution the answer at its end counts, too.
        """
        from trl_doctor.probes.answers.rewards import FINAL

        rows: dict[int, float] = {}
        for row, kind, value in self.trial.values:
            if kind.startswith(("gold", "made answer", FINAL)) and value == value:
                rows[row] = max(value, rows.get(row, value))
        return [rows[row] for row in sorted(rows)]

    @property
    def garbage(self) -> list[float]:
        """The reward of garbage for each row."""
        return [value for value in self.values.get("garbage", ()) if value == value]

    @property
    def counted(self) -> bool:
        """Whether it returned one reward for each completion."""
        return self.state == "returned" and self.trial.returned == self.trial.expected

    @property
    def returned(self) -> str:
        """How many rewards it returned, in words."""
        count = self.trial.returned
        return "a single number" if count is None else f"{count} reward{'s' if count != 1 else ''}"

    @property
    def where(self) -> str:
        """The place of its definition, such as `rewards.py:12`; "" if it is not known."""
        file = self.trial.file
        return f"{file.rpartition('/')[2]}:{self.trial.line}" if file else ""

    @property
    def line(self) -> str:
        """The result in one line: `mine.exact: gold 1.0, garbage 0.0, 0.2 ms a completion`."""
        if self.state == "took too long":
            return f"{self.name}: no return within {self.trial.seconds:g} s"
        if self.state != "returned":
            return f"{self.name}: {self.state}"
        if not self.counted:
            return f"{self.name}: gives {self.returned} for {self.trial.expected} completions"
        if not self.best and not self.garbage:
            return f"{self.name}: {self.returned} for {self.trial.expected} completions"
        kind = "gold" if any(name.startswith("gold") for name in self.values) else "made answer"
        figures = [f"{kind} {shown(self.best)}", f"garbage {shown(self.garbage)}"]
        return (
            f"{self.name}: {', '.join(figures)}, {1000 * self.trial.seconds:,.1f} ms a completion"
        )


def shown(values: Sequence[float]) -> str:
    """The mean of some rewards for a person, "no number" if there are none."""
    return f"{sum(values) / len(values):.4g}" if values else "no number"


class Rewards(Struct, frozen=True):
    """All functions of the run, what was `measured`, and the completions in one call of the run."""

    functions: tuple[Reward, ...]
    measured: RewardsAnswer
    completions: int


def rewards(facts: Facts) -> Rewards:
    """The results of all functions. Raises `NotConcerned` if the run has none."""
    measured = answer(facts).measured()
    own = facts.get(of_script)
    before = f"{own.module}." if own else ""
    functions = tuple(
        Reward(index, trial, trial.name.removeprefix(before))
        for index, trial in enumerate(measured.functions)
    )
    return Rewards(functions, measured, completions(facts))


def weight(facts: Facts, function: Reward) -> float | None:
    """The number that a function's rewards are multiplied by; None if it is not known."""
    weights = facts.run.arguments.get("reward_weights")
    if weights is None:
        return 1.0
    if not isinstance(weights, list) or len(weights) <= function.index:
        return None
    number = weights[function.index]
    return float(number) if isinstance(number, int | float) else None


def weighed(facts: Facts) -> tuple[Reward, ...]:
    """The functions whose rewards count: one of weight 0 is there for the log."""
    return tuple(each for each in facts[rewards].functions if weight(facts, each) != 0)


def answer(facts: Facts) -> Answer[RewardsAnswer]:
    """The probe's answer. Raises the errors of `rewards`."""
    request: Json = {
        "names": list(named(facts)),
        "script": _script(facts),
        "completions": completions(facts),
        "longest": int(facts.run.number("max_completion_length", LONGEST) or LONGEST),
        "opens_think": _opens_think(facts),
        "only_prompts": facts.run.flag("remove_unused_columns"),
        "at_most": min(SECONDS, facts.probes.conditions.seconds * SHARE),
    }
    facts[ready]
    from trl_doctor.probes.answers.rewards import RewardsAnswer

    label = "the run's reward functions"
    asked = without_weights(facts, "rewards", label, RewardsAnswer, rewards=request)
    return facts.probes.ask(asked)


def _script(facts: Facts) -> Json:
    """The part of a script that makes its reward functions; None if a module has them."""
    own = facts.get(of_script)
    return own.part if own else None


def _opens_think(facts: Facts) -> bool:
    """Whether the prompts of conversations end with an open `<think>`."""
    template = tokenizer_facts(facts).get(chat)
    try:
        return template is not None and template.opens_think
    except TemplateFailed:
        return False


def completions(facts: Facts) -> int:
    """The number of completions that a function gets in one call of this run, at least 1."""
    batch = facts.run.number("generation_batch_size")
    if batch:
        return max(1, int(batch) // (facts.run.processes or 1))
    accumulated = _number(facts, "gradient_accumulation_steps", 1)
    steps = _number(facts, "steps_per_generation", accumulated)
    return max(1, _number(facts, "per_device_train_batch_size", 8) * steps)


def _by_kind(rewards: Iterable[tuple[int, str, float]]) -> Mapping[str, list[float]]:
    by_kind: dict[str, list[float]] = {}
    for _, kind, value in rewards:
        by_kind.setdefault(kind, []).append(value)
    return by_kind


def _number(facts: Facts, key: str, default: int) -> int:
    """An argument, or the default of the target's release."""
    if isinstance(facts.run.trainer, Unavailable):
        return default
    usual = default_number(accepted(facts.environment, facts.run.trainer), key)
    return int(facts.run.number(key, usual or default) or default)
