"""A reward function judges all completions by the first row.

TRL calls a reward function with the completions of several prompts at once, and gives it one value
of each column for each completion. A function that reads `answer[0]` compares all of them with the
answer to the first question. Right answers to the others get nothing, and wrong ones may get a
reward. No error is raised.

Remedy: go through both lists together: `[score(one, a) for one, a in zip(completions, answer)]`.

Versions: every trl with GRPOTrainer. A call has the completions of one prompt only where the batch
of a process, with its accumulated steps, is not larger than num_generations; then the rule is
silent.

Seen: reproduced with trl 1.16.0: the right answers to two questions in one call get 1 and 0; alone
each gets 1.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import rewards, weighed
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rewards import FILES, RUN, TRL, answers, returned

GROUP = 8
"""The usual num_generations."""


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    group = int(facts.run.number("num_generations", GROUP) or GROUP)
    for function in weighed(facts) if answer.measured.rows else ():
        if not function.trial.of_first_row or answer.completions <= group:
            continue
        yield Finding(
            place(facts, function),
            f"{function.name} compares every completion with the first row: right answers to the "
            "other prompts of a batch get nothing",
            (
                f"a call has {answer.completions} completions of "
                f"{answer.completions // group} prompts",
                *defined(function),
            ),
        )
    refuse_unjudged(answer, rows=True)


FIRST = replace(returned(), of_first_row=True)
ONE = {**FILES, "run.json": {**RUN, "per_device_train_batch_size": 8, "num_generations": 8}}
MANY = {**FILES, "run.json": {**RUN, "per_device_train_batch_size": 16, "num_generations": 8}}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            MANY,
            versions=TRL,
            answers=answers(FIRST),
            says="mine.score compares every completion with the first row",
        ),
        Good(ONE, versions=TRL, answers=answers(FIRST)),
        Good(MANY, versions=TRL, answers=answers(returned())),
        Good(MANY, versions=TRL, answers=answers(FIRST, rows=0), skipped="not on this machine"),
    ),
)
