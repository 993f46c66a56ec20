"""The memory and the time of real steps at full size, on this machine's GPU."""

from __future__ import annotations

import math
from collections.abc import Mapping

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.question import Answer, Question
from trl_doctor.core.sizes import shown
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question
from trl_doctor.facts.training.generations import GROUPED, completions, steps_a_generation
from trl_doctor.files.hub.store import read_listing
from trl_doctor.probes.answers.full import FullAnswer


class Full(Struct, frozen=True):
    """Bytes by part, the peak of torch's memory, the GPU's memory, and the seconds of each step.

    `parts` are "weights", "reference", "gradients", "optimizer"; the other bytes of the peak are
    activations, and the engine if it shares the GPU. `rows` says where the rows come from, and
    among how many the longest were selected. `steps` is the number of steps of the whole job, None
    if it is not known. `used` is the most memory of all processes that the driver reported. Every
    `period`th step generates, starting with the first.
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
        """The mean time of a step after the first, over steps with and without generation."""
        generating = self.seconds[:: self.period]
        training = [took for at, took in enumerate(self.seconds) if at % self.period]
        warm = generating[1:] or generating
        mean = sum(warm) / len(warm)
        if not training:
            return mean
        return (mean + (self.period - 1) * sum(training) / len(training)) / self.period

    @property
    def line(self) -> str:
        """The result in one line, for the report."""
        remaining = max(0, self.peak - sum(self.parts.values()))
        sizes = [f"{name} {shown(size)}" for name, size in self.parts.items() if size]
        of = f" of {shown(self.total)}" if self.total else ""
        listed = ", ".join([*sizes, f"the rest {shown(remaining)}"])
        time = f"{self.step_seconds:.1f} s a step"
        if self.steps:
            time += f", {self.steps:,} steps take {hours(self.steps * self.step_seconds)}"
        driver = f", the driver saw {shown(self.used)} taken" if self.used else ""
        return f"peak {shown(self.peak)}{of} ({listed}){driver}; {time}"


def hours(seconds: float) -> str:
    """A duration for a person: `40 min`, `2.7 h`, `3.1 days`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} days"


def full(facts: Facts) -> Answer[FullAnswer]:
    """The probe's answer. Raises `NotConcerned` below `--level full`."""
    if facts.probes.conditions.level != "full":
        raise NotConcerned("only at --level full")
    if facts.probes.conditions.device == "cpu":
        raise Unavailable("real steps at full size need a GPU, and no GPU is used here")
    return facts.probes.ask(full_question(facts))


def full_question(facts: Facts) -> Question[FullAnswer]:
    """The question, with the models' folders that contain no weights."""
    folders = [model.folder for model in facts.run.models.values()]
    available = [folder for folder in folders if not isinstance(folder, Unavailable)]
    hollow: list[Json] = [
        str(folder.path.absolute()) for folder in available if read_listing(folder.path) is not None
    ]
    label = "real steps at full size"
    return question(facts, "full", label, FullAnswer, full_size=True, hollow=hollow)


def measured(facts: Facts) -> Full:
    """The result of the steps. Raises `Unavailable`."""
    answer = facts[full].measured()
    return Full(
        answer.parts,
        answer.peak,
        answer.reserved,
        answer.total,
        answer.device,
        answer.seconds_by_step,
        answer.held_after_steps,
        answer.rows_from,
        _steps(facts, answer),
        answer.used,
        _period(facts),
    )


def _steps(facts: Facts, answer: FullAnswer) -> int | None:
    """The optimizer steps of the job: as stated, or from the number of rows."""
    stated = facts.run.number("max_steps")
    if stated and stated > 0:
        return int(stated)
    if not answer.rows_there or not answer.epochs:
        return None
    trainer, rows = facts.run.trainer, answer.rows_there
    if not isinstance(trainer, Unavailable) and trainer.name in GROUPED:
        rows = completions(facts, rows)
    return math.ceil(rows / (answer.batch * (facts.run.processes or 1)) * answer.epochs)


def _period(facts: Facts) -> int:
    """Every how many optimizer steps one generates; 1 for trainers that do not."""
    trainer = facts.run.trainer
    if isinstance(trainer, Unavailable) or trainer.name not in GROUPED:
        return 1
    return max(1, int(steps_a_generation(facts)))
