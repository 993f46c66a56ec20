"""The run evaluates, but has no evaluation data.

The script fails when it creates the trainer, after the model was loaded: "You have set
`args.eval_strategy` to steps but you didn't pass an `eval_dataset` to `Trainer`".

Remedy: pass an `eval_dataset` to the trainer, for example a part from `train_test_split`, or remove
`eval_strategy`.

Versions: every trl with transformers 4.46 or newer.

Seen: trl#2152. Reproduced with SFT without evaluation data with trl 0.12.2, 0.24.0 and 1.16.0: all
three fail with this error; with `eval_dataset` all three evaluate.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.passed import passed
from trl_doctor.facts.rule import Bad, Good, Rule

from ._recorded.scripts import script

KEYS = ("eval_strategy", "evaluation_strategy")


def check(facts: Facts) -> Iterator[Finding]:
    values, arguments = passed(facts), facts.run.arguments
    key = next((key for key in KEYS if key in arguments), "")
    if str(arguments.get(key, "no")).lower() not in ("steps", "epoch"):
        raise NotConcerned("the run does not evaluate (eval_strategy)")
    if not values.has("eval_dataset"):
        yield Finding(
            facts.run.place(key),
            f"{key} is {arguments[key]}, but the trainer gets no eval_dataset",
        )


TRL = {"trl": "1.16.0"}
STEPS = "eval_strategy='steps'"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            script("SFT", "model='org/m'", STEPS),
            "train.py",
            versions=TRL,
            says="eval_strategy is steps, but the trainer gets no eval_dataset",
        ),
        Bad(
            script("DPO", "model='org/m', eval_dataset=None", STEPS),
            "train.py",
            versions=TRL,
            says="no eval_dataset",
        ),
        Good(script("SFT", "model='org/m', eval_dataset=rows", STEPS), "train.py", versions=TRL),
        Good(script("SFT", "model='org/m'"), "train.py", versions=TRL),
        Good(
            script("SFT", "model='org/m', **more()", STEPS),
            "train.py",
            versions=TRL,
            skipped="whether eval_dataset is given is not known",
        ),
    ),
)
