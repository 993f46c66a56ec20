"""The run sets eval_steps, but never evaluates.

`eval_steps` only counts if `eval_strategy` is `steps`. Its default is `no`: no evaluation takes
place, whatever `eval_steps` and the evaluation data are. There is no warning, and the run ends
without a number that shows whether it learned. `eval_strategy: no` in the file counts as intended.

Remedy: set `eval_strategy: steps`, or remove `eval_steps`.

Versions: every trl. PPO evaluates in its own way and is not examined.

Seen: trl#1420. Reproduced with DPOTrainer of trl 0.12.2, `eval_steps=1` and an `eval_dataset`: no
evaluation in the log; with `eval_strategy="steps"` each step has one.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl, no_other_program
from trl_doctor.facts.rule import Bad, Good, Rule

STEPS, STRATEGY = "eval_steps", "eval_strategy"
OTHERS = ("evaluation_strategy", "eval_on_start", "do_eval")
"""Arguments by which a run evaluates, or means to, without `eval_strategy`."""


def check(facts: Facts) -> Iterator[Finding]:
    run, arguments = facts.run, facts.run.arguments
    if not arguments.get(STEPS):
        raise NotConcerned("the run does not set eval_steps")
    no_other_program(facts)
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    _, accepted = known_to_trl(facts)
    if run.trainer.name == "ppo" or STRATEGY not in accepted.fields:
        raise NotConcerned("this trainer evaluates in its own way")
    if arguments.get(STRATEGY) is not None or any(map(arguments.get, OTHERS)):
        return
    edit = Put(run.place(STEPS).file, pointer(STRATEGY), "steps")
    yield Finding(
        run.place(STEPS),
        f"{STEPS} is set, but {STRATEGY} is not: the run never evaluates",
        fix=Fix(f"set {STRATEGY} to steps", (edit,), safe=False),
    )


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", STEPS: 100}
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN},
            versions=TRL,
            says="eval_steps is set, but eval_strategy is not",
            fixed={"run.json": {**RUN, STRATEGY: "steps"}},
        ),
        Good({"run.json": {**RUN, STRATEGY: "no"}}, versions=TRL),
        Good({"run.json": {**RUN, STRATEGY: "steps"}}, versions=TRL),
        Good({"run.json": {**RUN, "do_eval": True}}, versions=TRL),
        Good({"run.json": {**RUN, "trainer": "ppo"}}, versions={"trl": "0.12.2"}),
        Good({"run.json": {"trainer": "sft"}}, versions=TRL),
    ),
)
