"""max_steps ends the run long before its epochs.

With `max_steps` the run ends after so many steps, and `num_train_epochs` has no effect. Often the
number is left from a trial: the run ends after minutes, and many of its rows are never seen. No
error is raised.

Remedy: remove `max_steps`, or set it to -1; remove `num_train_epochs` if the steps are meant.

Versions: every release. It is reported only if `num_train_epochs` is set to more than 1, and the
rows are in a local file, or are seen in a rehearsal. A trial of at most 20 steps, which a command
line makes of a run file, is not reported.

Seen: unsloth#594. Reproduced with SFT of trl 1.16.0, `max_steps=10` and 20 epochs of two steps: the
run ends after epoch 5.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import FILLED_IN, filled_in
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.totals import is_trial, rows, rows_a_step
from trl_doctor.facts.training.generations import GROUPED, completions

STEPS, EPOCHS = "max_steps", "num_train_epochs"
OWN_LOOP = ("ppo", "rloo")
"""Trainers that count their steps otherwise, RLOO in older releases."""

DEFAULT = 3.0
"""The epochs of a run that asks for none; a rehearsal also sees what a parser fills in."""

MOST = 0.5
"""The largest share of the epochs that is reported."""


def check(facts: Facts) -> Iterator[Finding]:
    run, trainer = facts.run, known_trainer(facts)
    stated, epochs = run.number(STEPS) or 0, run.number(EPOCHS) or 0
    if stated < 1 or epochs <= 1:
        raise NotConcerned("the run does not state both steps and several epochs")
    if epochs == DEFAULT and filled_in(facts):
        raise NotConcerned("the epochs may be the default, which a parser fills in")
    if is_trial(facts, EPOCHS):
        raise NotConcerned("a command line makes a trial of the run")
    if trainer in OWN_LOOP:
        raise NotConcerned("this trainer counts its steps otherwise")
    if run.flag("packing"):
        raise Unavailable("how many steps packed rows make is not known")
    count = facts[rows]
    passes = (
        stated * rows_a_step(facts) / (completions(facts, count) if trainer in GROUPED else count)
    )
    if passes <= MOST * epochs:
        yield Finding(
            run.place(STEPS),
            f"{STEPS} is {stated:g}: the run ends after {passes:.2g} of the {epochs:g} epochs that "
            f"{EPOCHS} asks for",
        )


RUN: dict[str, Json] = {
    "trainer": "sft",
    "dataset_name": "rows.jsonl",
    "per_device_train_batch_size": 4,
    EPOCHS: 20,
}
ROWS = '{"text": "The sea was calm."}\n' * 40


def examples() -> Examples:
    from ..._recorded.rehearsal import TRL
    from ..._recorded.rehearsal import rehearsed as answered

    written: dict[str, Json] = {**RUN, STEPS: 10, EPOCHS: 3}
    by_hand: dict[str, Json] = {"run.json": written, "rows.jsonl": ROWS * 4}
    filled_in: dict[str, Json] = {
        "run.json": {**{f"default_{number}": None for number in range(FILLED_IN)}, **written},
        "rows.jsonl": ROWS * 4,
    }
    return (
        *WRITTEN,
        Bad(filled_in, says="of the 3 epochs that num_train_epochs asks for"),
        Good(filled_in, versions=TRL, level="rehearsal", answers=answered()),
        Bad(
            by_hand,
            versions=TRL,
            level="rehearsal",
            answers=answered(),
            says="of the 3 epochs that num_train_epochs asks for",
        ),
    )


WRITTEN = (
    Bad(
        {"run.json": {**RUN, STEPS: 10}, "rows.jsonl": ROWS},
        says="max_steps is 10: the run ends after 1 of the 20 epochs that num_train_epochs",
    ),
    Good({"run.json": {**RUN, STEPS: 200}, "rows.jsonl": ROWS}),
    Good({"run.json": {**RUN, STEPS: -1}, "rows.jsonl": ROWS}),
    Good({"run.json": {**RUN, STEPS: 10, EPOCHS: 1}, "rows.jsonl": ROWS}),
    Good({"run.json": {**RUN, STEPS: 10}}, skipped="rows"),
)
RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
