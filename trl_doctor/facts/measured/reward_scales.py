"""By how much the rewards of each function differ between completions."""

from __future__ import annotations

import math

from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rewards import LONGEST, Reward

WORDS = (10, 40, 160)
"""Words of the first completions of `RewardTrial.of_length`."""

EDGE = 10
"""One of so many completions is left out at each end: a reward that few of them get is no scale."""

STEPS = 5


def spread(facts: Facts, function: Reward) -> float:
    """The difference between high and low rewards; 0 where it is not known.

    It is the largest of three: a right answer and garbage; most completions that were tried; a
    short completion and one as long as the run allows, of 160 words at most.
    """
    trial = function.trial
    rewards = (*trial.values, *trial.exploits)
    values = sorted(value for *_, value in rewards if math.isfinite(value))
    edge = len(values) // EDGE
    apart = [values[-1 - edge] - values[edge]] if values else []
    if trial.reads_gold and function.best and function.garbage:
        best, garbage = function.best, function.garbage
        apart.append(abs(sum(best) / len(best) - sum(garbage) / len(garbage)))
    limit = facts.run.number("max_completion_length", LONGEST) or LONGEST
    last = sum(words < limit for words in WORDS[:-1])
    if len(trial.of_length) > last:
        apart.append(abs(trial.of_length[last] - trial.of_length[0]))
    return max((value for value in apart if math.isfinite(value)), default=0.0)


def is_a_scale(function: Reward) -> bool:
    """Whether it has many different rewards: two or three are a rule that most completions keep."""
    trial = function.trial
    given = (*(value for *_, value in (*trial.values, *trial.exploits)), *trial.of_length)
    return len({round(value, 6) for value in given if math.isfinite(value)}) >= STEPS
