"""One reward is a hundred times as large as another.

TRL adds the rewards of all functions and compares the sums of a group. A function that counts
characters gives hundreds, one that compares answers gives 0 or 1: the longest or the shortest
completion has the largest advantage, right or wrong. The log shows a reward that rises. A note
reports a large reward for right answers, or with few values, beside a small one: the small one has
a say only where all completions of a group get the same large one.

Remedy: bring all rewards to one scale, such as 0 to 1, or set `reward_weights`.

Versions: every trl with GRPOTrainer. A run with `reward_weights`, or with
`multi_objective_aggregation: normalize_then_sum`, is not judged.

Seen: reproduced with GRPO of trl 1.16.0 and 0.24.0: a right answer gets 1, each character costs 1,
and in a group of four the right answer has a negative advantage.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_scales import is_a_scale, spread
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import rewards
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.rewards import RewardTrial

from ..._recorded.rewards import FILES, RUN, TRL, answers, returned

TIMES = 100
WHOLE = 0.5
"""A reward of less is small on purpose, if it does not read the right answers."""


def check(facts: Facts) -> Iterator[Finding]:
    if facts.run.arguments.get("reward_weights") is not None:
        raise NotConcerned("the run sets reward_weights")
    if facts.run.arguments.get("multi_objective_aggregation") == "normalize_then_sum":
        raise NotConcerned("the trainer brings the rewards to one scale")
    answer = facts[rewards]
    if len(answer.functions) < 2:
        raise NotConcerned("the run has one reward function")
    counted = [function for function in answer.functions if function.counted]
    spreads = {function.name: spread(facts, function) for function in counted}
    for large, small in permutations(counted, 2):
        much, little = spreads[large.name], spreads[small.name]
        right, other = large.trial.reads_gold, small.trial.reads_gold and answer.measured.gold
        if not little or much < TIMES * little or (not other and little < WHOLE):
            continue
        severity: Severity | None = "note" if right or not is_a_scale(large) else None
        yield Finding(
            place(facts, small),
            f"rewards of {large.name} differ by {much:.4g}, those of {small.name} by {little:.4g}: "
            f"{small.name} hardly counts in their sum",
            ("between right answers, garbage, and short and long completions", *defined(small)),
            severity=severity,
        )
    refuse_unjudged(answer)


def _counting(per_word: float, **more: bool) -> RewardTrial:
    """A function that gives so much for each word."""
    lengths = tuple(per_word * words for words in (10, 40, 160, 640, 2560))
    trial = returned(reads_gold=False, name="mine.long", **more)
    return replace(trial, values=(), exploits=(), of_length=lengths)


def _percent(best: float) -> RewardTrial:
    return returned(gold=best, name="mine.percent")


STRICT = returned(gold=0.0, garbage=-100.0, reads_gold=False, name="mine.strict", exploits=())
TAG = returned(reads_gold=False, exploits=())
WEIGHED = {**FILES, "run.json": {**RUN, "reward_weights": [1.0, 0.01]}}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(returned(), _counting(-5.0)),
            says="rewards of mine.long differ by 750, those of mine.score by 1: mine.score hardly",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(_percent(100.0), TAG),
            says="rewards of mine.percent differ by 100, those of mine.score by 1",
            severity="note",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(returned(), STRICT),
            says="rewards of mine.strict differ by 100, those of mine.score by 1",
            severity="note",
        ),
        Good(FILES, versions=TRL, answers=answers(returned(), _counting(-0.05))),
        Good(FILES, versions=TRL, answers=answers(_percent(10.0), TAG)),
        Good(WEIGHED, versions=TRL, answers=answers(returned(), _counting(-5.0))),
        Good(FILES, versions=TRL, answers=answers(returned(gold=0.001), _percent(0.01))),
    ),
)
