"""The best model lacks a large last part of the training.

`load_best_model_at_end` chooses among the checkpoints that were evaluated. Before transformers 5
the trainer does not evaluate after its last step, if `eval_steps` does not divide the steps of the
run: what is learned after the last evaluation is thrown away, however good it is. No error is
raised.

Remedy: set `eval_steps` and `save_steps` to a number that divides the steps of the run, or both
strategies to `epoch`.

Versions: transformers before 5; newer ones evaluate after the last step (seen in 5.19.0). PPO
loads no best model. It is told where a quarter of the steps or more come after the last
evaluation. The steps are `max_steps`, or those of a run file with a local file of rows, or of a
small data set in a rehearsal, in one process. A script whose code sets `control.should_evaluate`
is left alone.

Seen: transformers#28539. Reproduced with SFT of trl 0.19.1 and transformers 4.51.3, 11 steps and
`eval_steps: 0.6`: the model at the end is that of step 7; with an evaluation after the epoch it is
that of step 11. With transformers 5.23.0 it is that of step 11 either way.
"""

import math
from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.syntax.code import code
from trl_doctor.facts.totals import known_steps
from trl_doctor.facts.training.evaluating import (
    KEYS,
    loads_best_of_steps,
    sets_control,
    strategy,
)
from trl_doctor.facts.training.generations import whole_argument

from ..._recorded.scripts import script

BEST, SAVE, EVERY, LOGGING = (
    "load_best_model_at_end", "save_strategy", "eval_steps", "logging_steps"
)  # fmt: skip
LEAST = 0.25
"""The smallest part of the steps that is told."""


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    planned = any(strategy(run.arguments.get(key)) == "steps" for key in KEYS)
    loads_best_of_steps(facts, planned=planned)
    version = facts.environment.version("transformers")
    if version is None:
        raise Unavailable("the release of transformers is not known")
    if version.major >= 5:
        raise NotConcerned("this release evaluates after the last step")
    no_other_program(facts)
    if sets_control(facts, "should_evaluate"):
        return
    counted = run.number("max_steps") or facts.get(rehearsal) or not facts.get(code)
    if not counted:
        raise Unavailable("how many rows the script leaves is not known")
    total = known_steps(facts)
    stated = run.number(EVERY) or run.number(LOGGING) or whole_argument(facts, LOGGING, 500)
    every = math.ceil(stated * total) if stated < 1 else int(stated)
    last = total - total % every
    if not last or total - last < LEAST * total:
        return
    yield Finding(
        run.place(EVERY if run.number(EVERY) else BEST),
        f"the last evaluation is after {last:,} of {total:,} steps ({EVERY}), and {BEST} loads an "
        f"evaluated model: what the last {total - last:,} steps learn is thrown away",
    )


RUN: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "m",
    BEST: True,
    "eval_strategy": "steps",
    EVERY: 100,
    "save_steps": 100,
    "max_steps": 190,
}
ROWS = '{"text": "The sea was calm."}\n' * 88
LOCAL = {key: value for key, value in RUN.items() if key != "max_steps"} | {
    "dataset_name": "rows.jsonl",
    "num_train_epochs": 1,
    EVERY: 0.6,
    "save_steps": 0.6,
}
OLD = {"trl": "0.19.1", "transformers": "4.51.3"}
NEW = {"trl": "1.16.0", "transformers": "5.23.0"}
STEPS = f"{BEST}=True, eval_strategy='steps', {EVERY}=100, save_steps=100, max_steps=190"
OPEN = STEPS.replace(", max_steps=190", "")
ASKING = "def on_step_end(control):\n    control.should_evaluate = True\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            versions=OLD,
            says="after 100 of 190 steps",
        ),
        Bad(
            {"run.json": LOCAL, "rows.jsonl": ROWS},
            versions=OLD,
            says="after 7 of 11 steps",
        ),
        Good({"run.json": RUN}, versions=NEW),
        Good({"run.json": {**RUN, "max_steps": 200}}, versions=OLD),
        Good({"run.json": {**RUN, "max_steps": 130}}, versions=OLD),
        Good({"run.json": {**RUN, "max_steps": 90}}, versions=OLD),
        Good({"run.json": {**RUN, SAVE: "epoch", "eval_strategy": "epoch"}}, versions=OLD),
        Good({"run.json": {**RUN, BEST: False}}, versions=OLD),
        Good(script("SFT", "model='org/m'", STEPS, before=ASKING), "train.py", versions=OLD),
        Good(
            script("SFT", "model='org/m'", OPEN),
            "train.py",
            versions=OLD,
            skipped="how many rows the script leaves is not known",
        ),
    ),
)
