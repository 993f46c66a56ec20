"""A penalty rewards what it should punish.

The name of the function, or the first sentence of its docstring, says that it punishes long or
repeated text. But longer or more repeated completions get more. TRL adds the rewards of all
functions, so a penalty must be a number below 0, or have a negative weight. The model learns the
opposite: its completions grow until the length limit, or it repeats itself.

Remedy: return the negative number, or set a negative number for the function in `reward_weights`.

Versions: every trl with GRPOTrainer.

Seen: reproduced with GRPO of trl 1.16.0 and 0.24.0: `length_penalty` returns `len(text) / 1000`,
and of the completions of a group the longest one has the largest advantage. Functions that punish
texts which are too short are not judged, nor functions that give less than 0.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import Reward, rewards, weight
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rewards import FILES, RUN, TRL, answers, returned

GROWS = {"length": "longer", "repetition": "more repeated"}


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in answer.functions:
        times = weight(facts, function)
        if times is None or not function.counted:
            continue
        for kind in function.trial.punishes:
            tried = [value * times for value in _tried(function, kind)]
            if not _grows(tried):
                continue
            given = ", ".join(f"{value:.4g}" for value in tried)
            yield Finding(
                place(facts, function),
                f"{function.name} is a penalty on {kind}, and gives {GROWS[kind]} completions "
                "more: the model learns to write them",
                (f"rewards of {GROWS[kind]} and {GROWS[kind]} completions: {given}",
                 *defined(function)),
            )  # fmt: skip
    refuse_unjudged(answer)


def _tried(function: Reward, kind: str) -> tuple[float, ...]:
    trial = function.trial
    return trial.of_length if kind == "length" else trial.of_repetition


def _grows(values: list[float]) -> bool:
    """Whether all are 0 or more, none is less than the one before, and the last one is the most."""
    if not values or min(values) < 0 or values[-1] <= values[0]:
        return False
    return all(before <= after for before, after in pairwise(values))


LONG = replace(returned(), punishes=("length",), of_length=(0.04, 0.16, 0.64, 1.0, 1.0))
SAYS = replace(returned(), punishes=("repetition",), of_repetition=(0.0, 0.6, 0.9))
FEW = replace(returned(), punishes=("length",), of_length=(-1.0, -0.5, 0.0, 0.0))
SHORT = replace(LONG, of_length=(-0.04, -0.16, -0.64))
MINUS = {**FILES, "run.json": {**RUN, "reward_weights": [-0.1]}}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(LONG),
            says="mine.score is a penalty on length, and gives longer completions more",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(SAYS),
            says="is a penalty on repetition, and gives more repeated completions more",
        ),
        Good(FILES, versions=TRL, answers=answers(SHORT)),
        Good(FILES, versions=TRL, answers=answers(FEW)),
        Good(FILES, versions=TRL, answers=answers(replace(LONG, punishes=()))),
        Good(MINUS, versions=TRL, answers=answers(LONG)),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
