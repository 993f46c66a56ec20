"""A reward depends on the prompt alone, not on the completion.

GRPO and RLOO compare the completions of one prompt with each other. A function that gives all of
them the same reward, and other prompts another, looks healthy in the log: the reward changes from
step to step. But the advantage is 0 in every group, and without another reward nothing is learnt.
Often the function measures `prompts` or a column of the data in place of `completions`.

Remedy: let the function read `completions`, or remove it from reward_funcs.

Versions: every trl with GRPOTrainer.

Seen: reproduced with trl 1.16.0, 0.24.0, 0.19.1 and 0.15.2 with the length of the prompt and of the
solution as rewards: reward_std 0.0, grad_norm 0.0, frac_reward_zero_std 1.0 (where the release logs
it), weights unmoved. Each was given right answers in the usual forms, garbage, nothing, and wrong
answers; if the data have no column of right answers, only functions that read no other column are
judged.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, kinds, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import Reward, rewards, weighed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.rewards import RewardTrial

from ..._recorded.rewards import FILES, GARBAGE, GOLD, TRL, answers, returned

SHOWN = 4
"""The most rows whose rewards are reported."""


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    measured = answer.measured
    judged = bool(measured.rows) and (bool(measured.gold) or not measured.columns)
    for function in weighed(facts) if judged else ():
        if not function.counted or function.trial.of_earlier or not _of_prompt(function):
            continue
        rewards_of_rows = ", ".join(
            next(iter(rewards)) for rewards in list(function.by_row.values())[:SHOWN]
        )
        yield Finding(
            place(facts, function),
            f"{function.name} gives all completions of a prompt the same reward: right answers, "
            "garbage and nothing",
            (
                f"rewards of the rows, one after the other: {rewards_of_rows}",
                *defined(function),
                f"tested on {measured.rows} rows of the run: {kinds(function.values)}",
            ),
        )
    refuse_unjudged(answer, rows=True)
    if not judged:
        raise Unavailable("no column of the data looks like the right answer")


def _of_prompt(function: Reward) -> bool:
    """Whether the rewards differ between rows, and between the completions of none."""
    rows = function.by_row.values()
    return all(len(rewards) == 1 for rewards in rows) and len({*map(frozenset, rows)}) > 1


def _by_row(*args: float) -> RewardTrial:
    kinds_ = (GOLD, GARBAGE, "empty")
    values = tuple((row, kind, reward) for row, reward in enumerate(args) for kind in kinds_)
    return replace(returned(), values=values, exploits=())


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(_by_row(12.0, 31.0)),
            says="mine.score gives all completions of a prompt the same reward",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(_by_row(12.0, 31.0), gold=None, columns=()),
            says="gives all completions of a prompt the same reward",
        ),
        Good(FILES, versions=TRL, answers=answers(_by_row(1.0, 1.0))),
        Good(FILES, versions=TRL, answers=answers(returned())),
        Good(
            FILES,
            versions=TRL,
            answers=answers(_by_row(12.0, 31.0), gold=None),
            skipped="no column of the data looks like the right answer",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answers(_by_row(12.0, 31.0), rows=0),
            skipped="not on this machine",
        ),
    ),
)
