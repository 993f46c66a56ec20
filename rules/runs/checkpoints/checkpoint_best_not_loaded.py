"""The best checkpoint is saved, and the last model is kept.

`save_strategy: best` saves a checkpoint whenever an evaluation is the best so far. These releases
of transformers then forget where it is: `load_best_model_at_end` loads nothing, and no error or
warning says so. The trainer goes on with the weights of the last step: `save_model`,
`push_to_hub` and `trl … --config` write these.

Remedy: save by the evaluation's strategy (`save_strategy: steps` with `save_steps` equal to
`eval_steps`, or `epoch`) and limit the number of checkpoints with `save_total_limit: 1`; or use a
transformers before 4.50.0 or from 5.4.0 on.

Versions: transformers 4.50.0 to 5.3.0. PPO does not load a best model and is not examined.

Seen: transformers#40221. Reproduced with SFT and losses of 6.2, 8.7, 9.5 and 10.1 at four
evaluations: the model of the last step is kept with transformers 4.51.3, 4.53.3 and 4.57.6; the
first checkpoint is loaded with 4.48.3 and 5.23.0. The sources of 4.49.0, 4.50.0, 5.3.0 and 5.4.0
show both ends of the range.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Edit, Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.evaluating import KEYS, evaluates, strategy

KEY, LOADS = "save_strategy", "load_best_model_at_end"
FIRST, FIXED = Version("4.50.0"), Version("5.4.0")


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if not run.flag(LOADS):
        raise NotConcerned("the run loads no best model at the end")
    if strategy(run.arguments.get(KEY)) != "best":
        return
    no_other_program(facts)
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    if run.trainer.name == "ppo":
        raise NotConcerned("PPO does not load a best model")
    version = facts.environment.known_version("transformers")
    if not FIRST <= version < FIXED:
        return
    yield Finding(
        run.place(KEY),
        f"{KEY} is best: transformers {version} does not load the best model at the end, "
        f"although {LOADS} is true; the last one is kept",
        fix=_fix(facts),
    )


def _fix(facts: Facts) -> Fix | None:
    """Save whenever the run evaluates, if that is stated."""
    run = facts.run
    when = next((str(run.arguments[key]) for key in KEYS if evaluates(run.arguments.get(key))), "")
    file, number = run.place(KEY).file, run.arguments.get("eval_steps")
    if not when or (when == "steps" and not number):
        return None
    edits: list[Edit] = [Put(file, pointer(KEY), when)]
    edits += [Put(file, pointer("save_steps"), number)] if when == "steps" else []
    return Fix(f"set {KEY} to {when}", tuple(edits), safe=False)


RUN: dict[str, Json] = {
    "trainer": "sft",
    "model_name_or_path": "m",
    "eval_strategy": "steps",
    "eval_steps": 50,
    LOADS: True,
    KEY: "best",
}
EPOCH: dict[str, Json] = {key: value for key, value in RUN.items() if key != "eval_steps"}
EPOCH["eval_strategy"] = "epoch"
OLD = {"trl": "0.24.0", "transformers": "4.57.6"}
NOW = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            versions=OLD,
            says="transformers 4.57.6 does not load the best model at the end",
            fixed={"run.json": {**RUN, KEY: "steps", "save_steps": 50}},
        ),
        Bad(
            {"run.json": EPOCH},
            versions={"trl": "1.0.0", "transformers": "5.3.0"},
            says="the last one is kept",
            fixed={"run.json": {**EPOCH, KEY: "epoch"}},
        ),
        Good({"run.json": RUN}, versions=NOW),
        Good({"run.json": RUN}, versions={"trl": "0.15.2", "transformers": "4.49.0"}),
        Good({"run.json": {**RUN, LOADS: False}}, versions=OLD),
        Good({"run.json": {**RUN, KEY: "steps", "save_steps": 50}}, versions=OLD),
        Good({"run.json": RUN}, skipped="transformers"),
    ),
)
