"""What the model's class does with what the trainer passes to its forward."""

from __future__ import annotations

from dataclasses import dataclass

from packaging.version import Version

from trl_doctor.core.question import Answer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question
from trl_doctor.probes.answers.forward import ForwardAnswer

PASSES = {"grpo": "0.14.0", "rloo": "0.22.0", "sft": "1.4.0", "dpo": "1.15.0", "kto": "1.15.0"}
"""Since which trl a trainer asks the model for less than all logits, or makes them itself."""

WRONG = 0.2
"""Nats. Rounding to bfloat16 makes less; a token paired with another position makes more."""

BATCH, PROMPT, COMPLETION = 8, 512, 256
"""What GRPOConfig and RLOOConfig say where the run does not: rows a device, and tokens."""

LOGIT = 4
"""Bytes."""


def answered(facts: Facts) -> Answer[ForwardAnswer]:
    """What became of the probe; raises `NotConcerned` for trainers that need nothing of it."""
    trainer, trl = facts.run.trainer, facts.environment.version("trl")
    if isinstance(trainer, Unavailable):
        raise trainer
    since = PASSES.get(trainer.name)
    if since is None or (trl is not None and trl < Version(since)):
        raise NotConcerned("only trainers that do not use all logits of the model are affected")
    return facts.probes.ask(question(facts, "forward", "one forward pass", ForwardAnswer))


@dataclass(frozen=True)
class Forward:
    """A forward pass as the trainer makes it, with a shrunken model of this architecture.

    `keyword` is what the trainer passes about positions, "" for nothing, with `kept` as its value;
    `returned` are the positions that came back of the `positions` that went in, None where no
    logits did. `wrong_by` is the largest distance of the trainer's log-probabilities from the
    true ones, in nats, None where it made none that can be compared. `error` is what was raised,
    "" for nothing, and `at` where.
    """

    architecture: str
    layers: int
    called: str
    keyword: str
    kept: int | None
    positions: int
    returned: int | None
    wrong_by: float | None
    error: str
    at: str
    base: str
    has_backbone: bool

    @property
    def swallowed(self) -> bool:
        """Whether the model took the keyword and gave all positions all the same."""
        return self.kept is not None and self.returned is not None and self.returned > self.kept

    @property
    def line(self) -> str:
        """It in one line, for the report."""
        model = f"{self.layers}-layer {self.architecture}"
        if self.keyword and self.returned is not None:
            done = "ignored, all" if self.swallowed else f"kept {self.returned} of"
            return f"{model}: {self.keyword} {done} {self.positions} positions"
        if self.error:
            return f"{model}: {self.error}"
        return f"{model}: log-probabilities as the model's own"


def forward(facts: Facts) -> Forward:
    """The trainer's own forward pass; raises `Unavailable` where there was none."""
    found = facts[answered].measured()
    own, backbone = found.trainer, found.backbone
    if own is None:
        raise Unavailable(found.refused)
    return Forward(
        found.architecture,
        found.layers,
        own.called,
        own.passed or "",
        own.kept,
        found.positions,
        own.returned,
        own.wrong_by,
        own.error or "",
        own.at,
        backbone.prefix,
        backbone.hidden is True and backbone.head,
    )


@dataclass(frozen=True)
class Logits:
    """The logits of one batch of the run: rows, tokens of prompt and completion, vocabulary."""

    rows: int
    prompt: int
    completion: int
    vocabulary: int

    @property
    def all(self) -> int:
        """Bytes of the logits of all positions, in float32."""
        return self.rows * (self.prompt + self.completion) * self.vocabulary * LOGIT

    @property
    def needed(self) -> int:
        """Bytes of those of the completions, in float32."""
        return self.rows * self.completion * self.vocabulary * LOGIT


def logits(facts: Facts) -> Logits:
    """What the logits of a batch take at the run's sizes; prompts at their limit, else at 512."""
    run = facts.run
    sizes = (
        run.number("per_device_train_batch_size", BATCH),
        run.number("max_prompt_length", PROMPT),
        run.number("max_completion_length", COMPLETION),
    )
    rows, prompt, completion = (max(0, int(one or 0)) for one in sizes)
    return Logits(rows, prompt, completion, facts[answered].measured().vocabulary)


def trainer_named(facts: Facts) -> str:
    """The trainer and its release, `GRPOTrainer of trl 0.15.2`."""
    trainer, trl = facts.run.trainer, facts.environment.version("trl")
    if isinstance(trainer, Unavailable):
        raise trainer
    return f"{trainer.trainer} of trl {trl}" if trl else trainer.trainer
