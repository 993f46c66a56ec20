"""Gradients grow with `gradient_accumulation_steps`.

After the real step on a small model, the trainer's own `training_step` was given one row twice: in
one batch, and in two batches of a step. Both must give the same gradient, but the second is larger:
the loss is not divided by `gradient_accumulation_steps`. The loss in the log is too large by that
factor, gradient clipping cuts every step, and the learning rate has another effect than intended.

Remedy: if the script's own class computes the loss, write `trainer.model_accepts_loss_kwargs =
False` after the trainer is created, or divide the sum of the tokens' losses by the argument
`num_items_in_batch`. Otherwise install another release of trl or transformers, or train with
`gradient_accumulation_steps: 1`.

Versions: any; the rule uses the installed release. SFT, DPO, KTO and reward trainers are judged,
and classes that are derived from them, if a step has more than one batch; in a rehearsal also those
that are derived from transformers' Trainer.

Seen: DPO, KTO and reward training of trl 0.12.2 with transformers 4.46.3, SFT of a BLOOM model with
transformers 4.57.6, and a class with a `compute_loss` that returns the mean, with transformers
4.57.6 and 5.23.0: two batches give 2.0 times the gradient. Healthy runs with trl 0.15.2, 0.19.1,
0.24.0, 1.12.0 and 1.16.0 differ by less than 0.001 %.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import step, stepped
from trl_doctor.facts.measured.step_failure import repeated
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer
from trl_doctor.facts.training.generations import whole_argument
from trl_doctor.probes.answers.step import Accumulated

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.step import LEARNED, SFT, TRL, answers

BATCHES = "gradient_accumulation_steps"
LARGER = 1.5
"""Two batches of a healthy run have 1 times the gradient of one; of others 2 times."""


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in ("sft", "dpo", "kto", "reward", None):
        raise NotConcerned("this trainer makes its batches itself")
    batches = whole_argument(facts, BATCHES, 1)
    if batches < 2:
        raise NotConcerned("a step has one batch")
    measured = facts[stepped].accumulated
    if measured is None:
        raise Unavailable("no gradient was left after the step")
    if measured.why:
        raise Unavailable(f"the gradients of two batches could not be computed: {measured.why}")
    if measured.share < LARGER:
        return
    yield Finding(
        facts.run.place(BATCHES),
        f"{trainer(facts)} does not divide its loss by the {batches} batches of a step: two "
        f"batches of one row give {measured.share:.1f} times the gradient of one batch that has "
        "the row twice",
        evidence=repeated(facts[step]),
        follows=("trl-release-has-silent-bug",),
    )


MORE = candidate({**RUN, "trainer": "sft", BATCHES: 8}, TOKENIZER, CONFIG)
TWICE = Accumulated(2.0)
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            MORE,
            versions=TRL,
            answers=answers(replace(LEARNED, accumulated=TWICE)),
            says="does not divide its loss by the 8 batches of a step: two batches of one row",
        ),
        Good(MORE, versions=TRL, answers=answers(replace(LEARNED, accumulated=Accumulated()))),
        Good(SFT, versions=TRL, answers=answers(replace(LEARNED, accumulated=TWICE))),
        Good(
            MORE,
            versions=TRL,
            answers=answers(replace(LEARNED, accumulated=None)),
            skipped="no gradient was left",
        ),
        Good(
            MORE,
            versions=TRL,
            answers=answers(replace(LEARNED, accumulated=Accumulated(why="KeyError: 'x'"))),
            skipped="KeyError: 'x'",
        ),
    ),
)
