"""How the model's class handles what the trainer passes to its forward."""

from __future__ import annotations

from msgspec import Struct
from packaging.version import Version

from trl_doctor.core.question import Answer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.candidate import question
from trl_doctor.facts.model.classes import NO_TEXT
from trl_doctor.probes.answers.forward import ForwardAnswer

PASSES = {"grpo": "0.14.0", "rloo": "0.22.0", "sft": "1.4.0", "dpo": "1.15.0", "kto": "1.15.0"}
"""The first trl whose trainer requests only some logits of the model, or computes them itself."""

WRONG = 0.2
"""In nats. Rounding to bfloat16 gives less; a token compared at another position gives more."""

BATCH, PROMPT, COMPLETION = 8, 512, 256
"""Defaults of GRPOConfig and RLOOConfig: rows per device, and tokens."""

LOGIT = 4
"""Bytes of a logit in float32."""


def answered(facts: Facts) -> Answer[ForwardAnswer]:
    """The probe's answer; raises `NotConcerned` for trainers that do not need it."""
    trainer, trl = facts.run.trainer, facts.environment.version("trl")
    if isinstance(trainer, Unavailable):
        raise trainer
    since = PASSES.get(trainer.name)
    if since is None or (trl is not None and trl < Version(since)):
        raise NotConcerned("only trainers that do not use all logits of the model are affected")
    return facts.probes.ask(question(facts, "forward", "one forward pass", ForwardAnswer))


class Forward(Struct, frozen=True):
    """A forward pass as the trainer makes it, with a small model of this architecture.

    `keyword` is the argument about positions that the trainer passes, "" for none, with `kept` as
    its value; `returned` is the number of positions that came back of `positions`, None without
    logits. `wrong_by` is the largest difference of the trainer's log-probabilities from the true
    ones, in nats, None if it computed none that can be compared. `error` is the error, ""
    for none, and `at` its place.
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
        """Whether the model accepted the keyword and returned all positions anyway."""
        return self.kept is not None and self.returned is not None and self.returned > self.kept

    @property
    def line(self) -> str:
        """The result in one line, for the report."""
        model = f"{self.layers}-layer {self.architecture}"
        if self.keyword and self.returned is not None:
            result = "ignored, all" if self.swallowed else f"kept {self.returned} of"
            return f"{model}: {self.keyword} {result} {self.positions} positions"
        if self.error:
            return f"{model}: {self.error}"
        return f"{model}: log-probabilities as the model's own"


def forward(facts: Facts) -> Forward:
    """The trainer's own forward pass; raises `Unavailable` if there was none."""
    answer = facts[answered].measured()
    trainer, backbone = answer.trainer, answer.backbone
    if trainer is None:
        raise Unavailable(answer.refused)
    if answer.architecture.endswith(NO_TEXT):
        raise NotConcerned(f"a {answer.architecture} continues no text")
    return Forward(
        answer.architecture,
        answer.layers,
        trainer.called,
        trainer.passed or "",
        trainer.kept,
        answer.positions,
        trainer.returned,
        trainer.wrong_by,
        trainer.error or "",
        trainer.at,
        backbone.prefix,
        backbone.hidden is True and backbone.head,
    )


class Logits(Struct, frozen=True):
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
    def of_completions(self) -> int:
        """Bytes of the logits of the completions, in float32."""
        return self.rows * self.completion * self.vocabulary * LOGIT


def logits(facts: Facts) -> Logits:
    """The logits of a batch at the run's sizes; prompts at their limit, else 512 tokens."""
    run = facts.run
    sizes = (
        run.number("per_device_train_batch_size", BATCH),
        run.number("max_prompt_length", PROMPT),
        run.number("max_completion_length", COMPLETION),
    )
    rows, prompt, completion = (max(0, int(size or 0)) for size in sizes)
    return Logits(rows, prompt, completion, facts[answered].measured().vocabulary)


def trainer_named(facts: Facts) -> str:
    """The trainer and its release, `GRPOTrainer of trl 0.15.2`."""
    trainer, trl = facts.run.trainer, facts.environment.version("trl")
    if isinstance(trainer, Unavailable):
        raise trainer
    return f"{trainer.trainer} of trl {trl}" if trl else trainer.trainer
