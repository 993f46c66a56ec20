"""No checkpoint is saved of which the best could be loaded.

`load_best_model_at_end` chooses among the checkpoints that were saved. If `save_steps` is larger
than the steps of the run, there is none but that of the last step: the last model is kept, however
much better an earlier evaluation was. No error is raised. `save_steps` is 500 if it is not set.

Remedy: set `save_steps` to the value of `eval_steps`, and `save_total_limit: 1` if the disk is
small.

Versions: every trl. PPO loads no best model. The steps are `max_steps`, or those of a local file of
rows, or of a small data set in a rehearsal, in one process: with more processes the run has fewer.
A script whose code sets `control.should_save` is left alone.

Seen: transformers#28500. Reproduced with SFT of trl 0.12.2, 0.24.0 and 1.16.0, 40 steps, an
evaluation every 5 and `save_steps=500`: the model at the end is that of step 40, and not the best
one; with `save_steps=5` it is.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.totals import known_steps
from trl_doctor.facts.training.evaluating import (
    KEYS,
    evaluates,
    loads_best_of_steps,
    sets_control,
)
from trl_doctor.facts.training.generations import whole_argument

from ..._recorded.scripts import script

BEST, SAVE, EVERY = "load_best_model_at_end", "save_strategy", "save_steps"
EVALUATION, LOGGING = "eval_steps", "logging_steps"


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    planned = any(evaluates(run.arguments.get(key)) for key in KEYS)
    loads_best_of_steps(facts, planned=planned)
    no_other_program(facts)
    if sets_control(facts, "should_save"):
        return
    every = run.number(EVERY) or whole_argument(facts, EVERY, 500)
    if every < 1:
        raise NotConcerned("the run saves at parts of its steps")
    total = known_steps(facts)
    evaluation = run.number(EVALUATION)
    first = evaluation or run.number(LOGGING) or whole_argument(facts, LOGGING, 500)
    if every <= total or first >= total:
        return
    place = run.place(EVERY if run.number(EVERY) else BEST)
    whole = evaluation and evaluation >= 1
    edit = Put(place.file, pointer(EVERY), int(evaluation)) if whole and evaluation else None
    yield Finding(
        place,
        f"{BEST} is true, but the first checkpoint is due after {every:g} steps ({EVERY}), and the "
        f"run has {total:,}: the last model is kept, however good an earlier one was",
        fix=Fix(f"set {EVERY} to {evaluation:g}", (edit,), safe=False) if edit else None,
        remedy=f"set {EVERY} to the value of {EVALUATION}",
    )


RUN: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "m",
    BEST: True,
    "eval_strategy": "steps",
    EVALUATION: 5,
    "max_steps": 40,
}
ROWS = '{"text": "The sea was calm."}\n' * 40
LOCAL = {key: value for key, value in RUN.items() if key != "max_steps"} | {
    "dataset_name": "rows.jsonl"
}
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
SHORT = f"{BEST}=True, eval_strategy='steps', {EVALUATION}=5, max_steps=40"
SAVING = "def on_evaluate(control):\n    control.should_save = True\n"
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            versions=TRL,
            says="the first checkpoint is due after 500 steps (save_steps), and the run has 40",
            fixed={"run.json": {**RUN, EVERY: 5}},
        ),
        Bad(
            {"run.json": {**LOCAL, EVERY: 100}, "rows.jsonl": ROWS},
            versions={"trl": "0.12.2", "transformers": "4.46.3"},
            says="the first checkpoint is due after 100 steps (save_steps), and the run has 15",
            fixed={"run.json": {**LOCAL, EVERY: 5}},
        ),
        Good({"run.json": {**RUN, EVERY: 20}}, versions=TRL),
        Good({"run.json": {**RUN, EVERY: 0.5}}, versions=TRL),
        Good({"run.json": {**RUN, SAVE: "best"}}, versions=TRL),
        Good({"run.json": {**RUN, EVALUATION: 40}}, versions=TRL),
        Good({"run.json": {**RUN, EVALUATION: None, "max_steps": 8}}, versions=TRL),
        Good(script("SFT", "model='org/m'", SHORT, before=SAVING), "train.py", versions=TRL),
        Good({"run.json": LOCAL}, versions=TRL, skipped="how many steps the run has"),
    ),
)
