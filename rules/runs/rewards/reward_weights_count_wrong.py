"""Reward weights and reward functions differ in number.

The run fails when the trainer is created: "Number of reward weights (2) must match number of reward
functions (1)".

Remedy: write one number for each reward function into `reward_weights`, in the same order.

Versions: trl 0.15.0 and newer.

Seen: trl#2843. Reproduced with GRPO with two weights and one function with trl 0.15.2 and 1.16.0:
both fail with this error; with one weight they train.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import accepted
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import count

from ..._recorded.scripts import script

KEY = "reward_weights"


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    weights = run.arguments.get(KEY)
    if not isinstance(weights, list):
        raise NotConcerned("the run sets no reward weights")
    functions = _functions(facts)
    if functions is not None and functions != len(weights):
        yield Finding(
            run.place(KEY),
            f"reward_weights has {_numbers(len(weights), 'number')} for "
            f"{_numbers(functions, 'reward function')}",
        )


def _functions(facts: Facts) -> int | None:
    """The number of reward functions; a run file may also name a reward model.

    Older commands have no `reward_funcs` and do not read the key.
    """
    run = facts.run
    if run.script.passed is not None:
        return count(run.script.passed.given("reward_funcs"))
    functions: Json = run.arguments.get("reward_funcs")
    model = run.arguments.get("reward_model_name_or_path")
    if not isinstance(run.trainer, Unavailable):
        fields = accepted(facts.environment, run.trainer).fields
        if model and fields and "reward_funcs" not in fields:
            functions = []
    if not isinstance(functions, list):
        return None
    return len(functions) + bool(model)


def _numbers(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


TRL = {"trl": "1.16.0"}
LOOP = "scores = []\nfor word in ('a', 'b'):\n    scores.append(make(word))\n"
RUN: dict[str, Json] = {
    "trainer": "grpo",
    "reward_funcs": ["accuracy_reward", "think_format_reward"],
}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="Number of reward weights",
    examples=(
        Bad(
            script("GRPO", "model='org/m', reward_funcs=len", f"{KEY}=[1.0, 0.5]"),
            "train.py",
            versions=TRL,
            says="reward_weights has 2 numbers for 1 reward function",
        ),
        Bad(
            {"run.json": {**RUN, KEY: [1.0]}}, versions=TRL, says="1 number for 2 reward functions"
        ),
        Good({"run.json": {**RUN, KEY: [1.0, 0.1]}}, versions=TRL),
        Good({"run.json": RUN}, versions=TRL),
        Good(
            script("GRPO", "model='org/m', reward_funcs=scores", f"{KEY}=[1.0, 0.5]", before=LOOP),
            "train.py",
            versions=TRL,
            skipped="how many items the script's list has is not known",
        ),
        Good(
            {"run.json": {**RUN, KEY: [1.0], "reward_model_name_or_path": "org/reward"}},
            versions={"trl": "0.15.2"},
        ),
    ),
)
