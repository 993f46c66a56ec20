"""The best checkpoint is wanted without matching evaluations.

`load_best_model_at_end` compares the checkpoints by their evaluations. The run never evaluates, or
it evaluates at other times than it saves: the config's class refuses that, "load_best_model_at_end
requires the save and eval strategy to match", or "the saving steps to be a round multiple of the
evaluation steps".

Remedy: set `eval_strategy` to the value of `save_strategy`, and give the trainer an `eval_dataset`;
with `steps`, make `save_steps` a multiple of `eval_steps`. Or leave `load_best_model_at_end` out.

Versions: every transformers. With `save_strategy: best` (from 4.47 on) the strategies may differ.

Seen: transformers#11931. Reproduced with SFT of trl 0.12.2 (transformers 4.46.3) and 1.16.0
(5.23.0): a ValueError for both; after the correction both train.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.evaluating import KEYS, strategy

BEST, SAVE, STEPS = "load_best_model_at_end", "save_strategy", "steps"
NUMBERS = ("save_steps", "eval_steps")
USUAL = 500


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if not run.flag(BEST):
        raise NotConcerned("the run loads no best model at the end")
    known_to_trl(facts)
    saves = strategy(run.arguments.get(SAVE, STEPS))
    key = next((key for key in KEYS if key in run.arguments), KEYS[0])
    evaluates = strategy(run.arguments.get(key, "no"))
    if saves == "best":
        return
    if saves != evaluates:
        edit = Put(run.place(BEST).file, pointer(key), saves)
        yield Finding(
            run.place(BEST),
            f"{BEST} is true, {SAVE} is {saves} and {key} is {evaluates}: they must be the same, "
            "and the run ends before it begins",
            fix=Fix(f"set {key} to {saves}", (edit,), safe=False) if saves != "no" else None,
        )
    elif saves == STEPS:
        save, evaluate = (run.number(name, USUAL) for name in NUMBERS)
        set_by_name = all(name in run.arguments for name in NUMBERS)
        if set_by_name and save and evaluate and min(save, evaluate) >= 1 and save % evaluate:
            yield Finding(
                run.place(NUMBERS[0]),
                f"save_steps is {save:g}, no multiple of eval_steps {evaluate:g}: with {BEST} the "
                "run ends before it begins",
                remedy="make save_steps a multiple of eval_steps",
            )


RUN: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "m", BEST: True}
TRL = {"trl": "1.16.0", "transformers": "5.23.0"}


def _files(**more: Json) -> dict[str, Json]:
    return {"run.json": {**RUN, **more}}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"load_best_model_at_end requires",
    examples=(
        Bad(
            _files(),
            versions=TRL,
            says="save_strategy is steps and eval_strategy is no: they must be the same",
            fixed=_files(eval_strategy="steps"),
        ),
        Bad(_files(eval_strategy="epoch"), versions=TRL, says="eval_strategy is epoch",
            fixed=_files(eval_strategy="steps")),
        Bad(
            _files(eval_strategy="steps", save_steps=100, eval_steps=30),
            versions=TRL,
            says="save_steps is 100, no multiple of eval_steps 30",
        ),
        Good(_files(eval_strategy="steps", save_steps=100, eval_steps=50), versions=TRL),
        Good(_files(eval_strategy="epoch", save_strategy="epoch"), versions=TRL),
        Good(_files(save_strategy="best", eval_strategy="epoch"), versions=TRL),
    ),
)  # fmt: skip
