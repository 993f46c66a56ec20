"""The warmup is as long as the run, or a large part of it.

During the warmup the learning rate rises from 0 to `learning_rate`. If the warmup has more steps
than the run, the rate never gets there: the run trains with a fraction of it, and ends. No error is
raised, and the loss hardly falls. The rate of the first update is 0: of a run with one to three
updates one third or all is without effect. Not reported: a run that `max_steps` makes so short, and
a trial of at most 20 steps, which a command line makes of a run file.

Remedy: make `warmup_steps` much smaller than the steps of the run, 3 to 10 % of them are usual
(`warmup_ratio: 0.05`; from transformers 5.0.0 on `warmup_steps: 0.05` means the same). A run with a
few large updates needs none.

Versions: every transformers. The steps are `max_steps`, or those of a local file of rows, or of a
small data set in a rehearsal, in one process: with more processes the run has fewer.

Seen: reproduced with SFT of trl 0.15.2 and 1.16.0, `warmup_steps: 100` and 4 steps: the last rate
in the log is below 5 % of `learning_rate`. transformers#34754: with `warmup_steps: 1` one of two
updates has a rate of 0, and with `warmup_ratio: 0.1` the only update of a run.
"""

from collections.abc import Iterator
from math import ceil

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.totals import is_trial, known_steps
from trl_doctor.facts.training.sampling import SINCE
from trl_doctor.facts.training.schedule import refuse_other_schedules

KEY = "warmup_steps"
KEYS = (KEY, "warmup_ratio")
SCHEDULE, BATCH = "lr_scheduler_type", "per_device_train_batch_size"
BEGIN_AT_0 = ("linear", "cosine", "constant_with_warmup", "polynomial", "cosine_with_restarts")
SHORT = 3
"""Of as few updates the first, with a rate of 0, is a large part."""

OWN_LOOP = ("ppo", "rloo")
"""Trainers that count their steps otherwise, RLOO in releases before `SINCE`."""


def check(facts: Facts) -> Iterator[Finding]:
    key = next((name for name in KEYS if facts.run.number(name)), None)
    if key is None:
        raise NotConcerned("the run states no warmup")
    name, trl = known_trainer(facts), facts.environment.version("trl")
    if name in OWN_LOOP and not (name == "rloo" and trl and trl >= SINCE["rloo"]):
        raise NotConcerned("this trainer counts its steps otherwise")
    if is_trial(facts, key):
        raise NotConcerned("a command line makes a trial of the run")
    refuse_other_schedules(facts)
    total = known_steps(facts)
    stated = facts.run.number(key) or 0
    warmup = stated if stated >= 1 else ceil(stated * total)
    if warmup == total > SHORT:
        yield Finding(
            facts.run.place(key),
            f"the warmup has {warmup:,.0f} steps, as many as the run: the learning rate still "
            "rises in the last step",
        )
    elif warmup > total:
        yield Finding(
            facts.run.place(key),
            f"the warmup has {warmup:,.0f} steps, but the run has {total:,}: the learning rate "
            f"reaches at most {total / warmup:.0%} of learning_rate",
        )
    elif total <= SHORT and _begins_at_0(facts):
        yield Finding(
            facts.run.place(key),
            f"the warmup begins with a learning rate of 0: one of the run's {total} updates has no "
            "effect"
            if total > 1
            else "the run has one update, and the warmup gives it a learning "
            "rate of 0: nothing is trained",
            remedy=f"remove {key}: so short a run needs no warmup",
        )


def _begins_at_0(facts: Facts) -> bool:
    """Whether the warmup begins at 0, in a run that is not cut short on purpose."""
    schedule = facts.run.arguments.get(SCHEDULE, "linear")
    return schedule in BEGIN_AT_0 and not facts.run.number("max_steps")


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", KEY: 500}
ROWS = '{"text": "The sea was calm."}\n' * 40
LOCAL: dict[str, Json] = {**RUN, "dataset_name": "rows.jsonl", "num_train_epochs": 2}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": {**RUN, "max_steps": 100}},
            says="the warmup has 500 steps, but the run has 100: the learning rate reaches at most "
            "20% of learning_rate",
        ),
        Bad(
            {"run.json": {**RUN, "max_steps": 500}},
            says="the warmup has 500 steps, as many as the run: the learning rate still rises in",
        ),
        Bad(
            {"run.json": {**LOCAL, "per_device_train_batch_size": 4}, "rows.jsonl": ROWS},
            says="the run has 20: the learning rate reaches at most 4%",
        ),
        Bad(
            {"run.json": {**RUN, "trainer": "rloo", "max_steps": 100}},
            versions={"trl": "1.16.0"},
            says="but the run has 100",
        ),
        Bad(
            {"run.json": {**LOCAL, KEY: 1, BATCH: 40}, "rows.jsonl": ROWS},
            says="the warmup begins with a learning rate of 0: one of the run's 2 updates has no",
        ),
        Bad(
            {"run.json": {**LOCAL, KEY: 0, "warmup_ratio": 0.1, BATCH: 80}, "rows.jsonl": ROWS},
            says="one of the run's 2 updates",
        ),
        Bad(
            {"run.json": {**LOCAL, KEY: 1, BATCH: 40, "num_train_epochs": 1}, "rows.jsonl": ROWS},
            says="the run has one update, and the warmup gives it a learning rate of 0",
        ),
        Good({"run.json": {**LOCAL, KEY: 1, BATCH: 20}, "rows.jsonl": ROWS}),
        Good({"run.json": {**LOCAL, KEY: 1, BATCH: 40, SCHEDULE: "constant"}, "rows.jsonl": ROWS}),
        Good({"run.json": {**RUN, KEY: 1, "max_steps": 2}}),
        Good(
            {"try.sh": "trl sft --config run.json --max_steps 5\n", "run.json": {**RUN, KEY: 100}},
            "try.sh",
        ),
        Good({"run.json": {**RUN, "max_steps": 5000}}),
        Good({"run.json": {**RUN, KEY: 0.1, "max_steps": 100}}),
        Good({"run.json": RUN}, skipped="how many steps the run has is not known"),
    ),
)
