"""What real steps at full size held in memory and took in time, on this machine's GPU."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from trl_doctor.core.finding import Json
from trl_doctor.core.question import Answer, Question
from trl_doctor.core.sizes import shown
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question
from trl_doctor.facts.totals import GROUPED, completions, steps_a_generation
from trl_doctor.files.hub.store import read_listing
from trl_doctor.probes.answers.full import FullAnswer


@dataclass(frozen=True)
class Full:
    """Bytes by part, the peak of what torch held, what the GPU has, seconds of each step.

    `parts` are "weights", "reference", "gradients", "optimizer"; what is left of the peak are
    activations, and the engine where it shares the GPU. `rows` says where the rows are from, and
    among how many the longest were sought. `steps` is the number of steps of the whole job, None
    where nobody knows. `used` is what the driver saw taken at most, by all processes. Every
    `period`th step generates, the first one of them.
    """

    parts: Mapping[str, int]
    peak: int
    reserved: int
    total: int
    device: str
    seconds: tuple[float, ...]
    held_after_steps: tuple[int, ...]
    rows: str
    steps: int | None
    used: int = 0
    period: int = 1

    @property
    def step_seconds(self) -> float:
        """The mean time of a step once warm, of those that generate and those that do not."""
        generating = self.seconds[:: self.period]
        others = [took for at, took in enumerate(self.seconds) if at % self.period]
        warm = generating[1:] or generating
        one = sum(warm) / len(warm)
        if not others:
            return one
        return (one + (self.period - 1) * sum(others) / len(others)) / self.period

    @property
    def line(self) -> str:
        """It in one line, for the report."""
        rest = max(0, self.peak - sum(self.parts.values()))
        told = [f"{name} {shown(held)}" for name, held in self.parts.items() if held]
        of = f" of {shown(self.total)}" if self.total else ""
        parts = ", ".join([*told, f"the rest {shown(rest)}"])
        time = f"{self.step_seconds:.1f} s a step"
        if self.steps:
            time += f", {self.steps:,} steps take {hours(self.steps * self.step_seconds)}"
        seen = f", the driver saw {shown(self.used)} taken" if self.used else ""
        return f"peak {shown(self.peak)}{of} ({parts}){seen}; {time}"


def hours(seconds: float) -> str:
    """A length of time for a person: `40 min`, `2.7 h`, `3.1 days`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} days"


def full(facts: Facts) -> Answer[FullAnswer]:
    """What became of the steps. Raises `NotConcerned` below `--level full`."""
    if facts.probes.conditions.level != "full":
        raise NotConcerned("only at --level full")
    if facts.probes.conditions.device == "cpu":
        raise Unavailable("real steps at full size need a GPU, and none is to be used here")
    return facts.probes.ask(asked(facts))


def asked(facts: Facts) -> Question[FullAnswer]:
    """The question: which models, and which of their folders have no weights in them."""
    folders = [one.folder for one in facts.run.models.values()]
    known = [folder for folder in folders if not isinstance(folder, Unavailable)]
    hollow: list[Json] = [
        str(one.path.absolute()) for one in known if read_listing(one.path) is not None
    ]
    label = "real steps at full size"
    return question(facts, "full", label, FullAnswer, full_size=True, hollow=hollow)


def measured(facts: Facts) -> Full:
    """What the steps took. Raises `Unavailable`."""
    found = facts[full].measured()
    return Full(
        found.parts,
        found.peak,
        found.reserved,
        found.total,
        found.device,
        found.seconds_by_step,
        found.held_after_steps,
        found.rows_from,
        _steps(facts, found),
        found.used,
        _period(facts),
    )


def _steps(facts: Facts, found: FullAnswer) -> int | None:
    """The optimizer steps of the job: as said, or from the rows where they can be counted."""
    stated = facts.run.number("max_steps")
    if stated and stated > 0:
        return int(stated)
    if not found.rows_there or not found.epochs:
        return None
    trainer, rows = facts.run.trainer, found.rows_there
    if not isinstance(trainer, Unavailable) and trainer.name in GROUPED:
        rows = completions(facts, rows)
    return math.ceil(rows / (found.batch * (facts.run.processes or 1)) * found.epochs)


def _period(facts: Facts) -> int:
    """Every how many optimizer steps one generates; 1 for trainers that do not."""
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable) or trainer.name not in GROUPED:
        return 1
    return max(1, int(steps_a_generation(facts)))
