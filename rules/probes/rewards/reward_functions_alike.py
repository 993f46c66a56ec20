"""Two reward functions give the same rewards.

Several functions are passed, and two of them give equal rewards to every completion. One of them is
then only a second weight of the other, and what the second should reward is not rewarded. Functions
that a loop creates often read the loop's variable when they are called: all of them then see its
last value.

Remedy: give the value to each function when it is created: `def reward(completions, word=word,
**kwargs)`, or `functools.partial(reward, word=word)`.

Versions: every trl with GRPOTrainer. Functions that give only one reward are not compared:
`reward-constant` reports them.

Seen: reproduced with GRPO of trl 1.16.0: three functions of a loop over three words all count the
last word; the log shows three equal rewards in every step.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import Reward, rewards, weighed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.rewards import RewardTrial

from ..._recorded.rewards import FILES, TRL, answers, returned

LEAST = 3
"""The least number of different rewards: two functions with 0 and 1 may agree by chance."""


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    reported = set[str]()
    for first, second in combinations(weighed(facts), 2):
        if second.name in reported or not _alike(first, second):
            continue
        reported.add(second.name)
        yield Finding(
            place(facts, second),
            f"{second.name} gives every completion the same reward as {first.name}",
            (*defined(second), f"{len(_given(first))} completions were tried"),
        )
    refuse_unjudged(answer)


def _alike(first: Reward, second: Reward) -> bool:
    rewards = _given(first)
    different = {value for *_, value in rewards}
    return (
        first.counted and second.counted and len(different) >= LEAST and rewards == _given(second)
    )


def _given(function: Reward) -> tuple[tuple[int, str, float], ...]:
    return (*function.trial.values, *function.trial.exploits)


def _counting(name: str, *args: float) -> RewardTrial:
    values = tuple((row, "garbage", reward) for row, reward in enumerate(args))
    return replace(returned(), name=name, values=values, exploits=())


TWICE = answers(_counting("ship", 0.1, 0.2, 0.4), _counting("river", 0.1, 0.2, 0.4))
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=TWICE,
            says="river gives every completion the same reward as ship",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answers(_counting("ship", 0.1, 0.2, 0.4), _counting("river", 0.1, 0.2, 0.3)),
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answers(_counting("ship", 0.0, 1.0, 0.0), _counting("river", 0.0, 1.0, 0.0)),
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
