"""A penalty rewards what it should punish.

The name of the function, or the first sentence of its docstring, says that it punishes long or
repeated text. But longer or more repeated completions get more. TRL adds the rewards of all
functions, so a penalty must be a number below 0, or have a negative weight. The model learns the
opposite: its completions grow until the length limit, or it repeats itself.

A function that names a length, and gives completions of this length the least, has the same
mistake: `abs(200 - len(text))` is the distance from the length that is wanted.

Remedy: return the negative number, or set a negative number for the function in `reward_weights`.

Versions: every trl with GRPOTrainer.

Seen: reproduced with GRPO of trl 1.16.0 and 0.24.0: `length_penalty` returns `len(text) / 1000`,
and of the completions of a group the longest one has the largest advantage. Functions that punish
texts which are too short are not judged, nor functions that give less than 0. trl#2777: `abs(20 -
len(text))` gives 0 to 20 characters, and 180 to 200.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import Reward, rewards, weighed, weight
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.rewards import LeastAt

from ..._recorded.rewards import FILES, RUN, TRL, answers, returned

GROWS = {"length": "longer", "repetition": "more repeated"}


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in weighed(facts):
        times = weight(facts, function)
        if times is None or not function.counted:
            continue
        yield from _least(facts, function, times)
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
                remedy=f"its weight is {times:g}: give it a positive one" if times < 0 else "",
            )  # fmt: skip
    refuse_unjudged(answer)


def _least(facts: Facts, function: Reward, times: float) -> Iterator[Finding]:
    """A length that gets less than shorter and longer ones."""
    least = function.trial.least_at
    if least is None or times <= 0:
        return
    pairs = zip(least.lengths, least.values, strict=True)
    tried = ", ".join(f"{length}: {value:.4g}" for length, value in pairs)
    yield Finding(
        place(facts, function),
        f"{function.name} gives the least to completions of {least.number} {least.unit}, and more "
        "to shorter and to longer ones: the distance from this length is paid, not punished",
        (f"rewards by {least.unit}: {tried}", *defined(function)),
    )


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
VALLEY = replace(
    returned(),
    least_at=LeastAt(20, "characters", (5, 10, 20, 40, 80), (15.0, 10.0, 0.0, 20.0, 60.0)),
)
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
        Bad(
            FILES,
            versions=TRL,
            answers=answers(VALLEY),
            says="gives the least to completions of 20 characters, and more to shorter and to",
        ),
        Good(MINUS, versions=TRL, answers=answers(VALLEY)),
        Good(FILES, versions=TRL, answers=answers(SHORT)),
        Good(FILES, versions=TRL, answers=answers(FEW)),
        Good(FILES, versions=TRL, answers=answers(replace(LONG, punishes=()))),
        Good(MINUS, versions=TRL, answers=answers(LONG)),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
