"""The warmup is longer than the run.

During the warmup the learning rate rises from 0 to `learning_rate`. If the warmup has more steps
than the run, the rate never gets there: the run trains with a fraction of it, and ends. No error is
raised, and the loss hardly falls.

Remedy: make `warmup_steps` much smaller than the steps of the run, 3 to 10 % of them are usual
(`warmup_ratio: 0.05`; from transformers 5.0.0 on `warmup_steps: 0.05` means the same).

Versions: every transformers. The steps are `max_steps`, or those of a local file of rows, or of a
small data set in a rehearsal, in one process: with more processes the run has fewer.

Seen: reproduced with SFT of trl 0.15.2 and 1.16.0, `warmup_steps: 100` and 4 steps: the last rate
in the log is below 5 % of `learning_rate`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.totals import rows_a_step, steps
from trl_doctor.facts.training.sampling import SINCE
from trl_doctor.facts.training.schedule import refuse_other_schedules

KEY = "warmup_steps"
OWN_LOOP = ("ppo", "rloo")
"""Trainers that count their steps otherwise, RLOO in releases before `SINCE`."""


def check(facts: Facts) -> Iterator[Finding]:
    warmup = facts.run.number(KEY) or 0
    if warmup < 1:
        raise NotConcerned("the run states no number of steps for its warmup")
    name, trl = known_trainer(facts), facts.environment.version("trl")
    if name in OWN_LOOP and not (name == "rloo" and trl and trl >= SINCE["rloo"]):
        raise NotConcerned("this trainer counts its steps otherwise")
    refuse_other_schedules(facts)
    if facts.run.flag("packing") and not facts.run.number("max_steps"):
        raise Unavailable("how many steps packed rows make is not known")
    total = steps(facts, rows_a_step(facts))
    if total is None:
        raise Unavailable("how many steps the run has is not known")
    if warmup >= total:
        yield Finding(
            facts.run.place(KEY),
            f"the warmup has {warmup:,.0f} steps, but the run has {total:,}: the learning rate "
            f"reaches at most {total / warmup:.0%} of learning_rate",
        )


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
            {"run.json": {**LOCAL, "per_device_train_batch_size": 4}, "rows.jsonl": ROWS},
            says="the run has 20: the learning rate reaches at most 4%",
        ),
        Bad(
            {"run.json": {**RUN, "trainer": "rloo", "max_steps": 100}},
            versions={"trl": "1.16.0"},
            says="but the run has 100",
        ),
        Good({"run.json": {**RUN, "max_steps": 5000}}),
        Good({"run.json": {**RUN, KEY: 0.1, "max_steps": 100}}),
        Good({"run.json": RUN}, skipped="how many steps the run has is not known"),
    ),
)
