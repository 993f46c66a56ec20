"""The trainer cannot group its rows by their length.

With `group_by_length` the trainer sorts the rows by the length of `input_ids`. DPO, ORPO and the
reward trainer have columns of other names, and training fails at its start: "Can only automatically
infer lengths for datasets whose items are dictionaries with an 'input_ids' key".

Remedy: switch `group_by_length` off (`train_sampling_strategy: random` with transformers 5).

Versions: every trl that was tried.

Seen: trl#1267. Reproduced with DPO, ORPO and the reward trainer with trl 0.24.0 and 1.16.0; SFT and
GRPO train with it.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

TRAINERS = ("dpo", "orpo", "reward")
OLD, NEW, VALUE = "group_by_length", "train_sampling_strategy", "group_by_length"


def check(facts: Facts) -> Iterator[Finding]:
    run, trainer = facts.run, known_trainer(facts)
    if trainer not in TRAINERS:
        raise NotConcerned("only DPO, ORPO and the reward trainer are affected")
    if run.arguments.get("length_column_name") not in (None, "length"):
        raise NotConcerned("the rows have a column with their lengths")
    for key, is_on, off in (
        (OLD, run.flag(OLD), False),
        (NEW, run.arguments.get(NEW) == VALUE, "random"),
    ):
        if is_on:
            value: Json = off
            yield Finding(
                run.place(key),
                f"{key} is on, and the rows of {getattr(run.trainer, 'trainer', trainer)} have no "
                "column input_ids to sort them by",
                fix=Fix(
                    f"set {key} to {str(off).lower()}",
                    (Put(run.place(key).file, pointer(key), value),),
                    safe=False,
                ),
            )


DPO: dict[str, Json] = {"trainer": "dpo", OLD: True}
THEN = {"trl": "0.24.0", "transformers": "4.57.6"}
NOW = {"trl": "1.16.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="automatically infer lengths",
    examples=(
        Bad(
            {"run.json": DPO},
            versions=THEN,
            says="group_by_length is on, and the rows of DPOTrainer have no column input_ids",
            fixed={"run.json": {**DPO, OLD: False}},
        ),
        Bad(
            {"run.json": {"trainer": "reward", NEW: VALUE}},
            versions=NOW,
            says="train_sampling_strategy is on, and the rows of RewardTrainer",
            fixed={"run.json": {"trainer": "reward", NEW: "random"}},
        ),
        Good({"run.json": {**DPO, OLD: False}}, versions=THEN),
        Good({"run.json": {**DPO, "trainer": "sft"}}, versions=THEN),
        Good({"run.json": {"trainer": "dpo", NEW: "random"}}, versions=NOW),
    ),
)
