"""A reward function does not prefer the right answer.

The data set has a column with right answers, but a completion with the right answer gets no more
than garbage. If it gets less, training moves the model away from what is right, while the reward in
the log rises. If it gets the same, right answers are not rewarded: perhaps the function reads
another column, or wants another form.

Remedy: call the function on a completion with the right answer, and see what it compares: a sign,
the order of the arguments, or a form of the answer that the prompt does not ask for.

Versions: every trl with GRPOTrainer.

Seen: reproduced with trl 1.16.0, 0.24.0, 0.19.1 and 0.15.2: a function with its comparison reversed
trains without a warning.
"""

import operator
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import Reward, rewards, shown, weighed
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rewards import FILES, GARBAGE, GOLD, TRL, answers, returned


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in weighed(facts) if answer.measured.rows and answer.measured.gold else ():
        if function.counted and function.trial.reads_gold and _reversed(function):
            yield Finding(
                place(facts, function),
                f"{function.name} gives {_compared(function)}",
                (
                    f"right answers: column {answer.measured.gold}, in the usual forms",
                    f"mean over {answer.measured.rows} rows of the run",
                    *defined(function),
                ),
            )
    refuse_unjudged(answer, rows=True)
    if not answer.measured.gold:
        raise Unavailable("no column of the data looks like the right answer")


def _reversed(function: Reward) -> bool:
    """Whether garbage gets as much as the best form of the answer, and a row's rewards differ."""
    if not function.best or not function.garbage:
        return False
    if any(value != value for value in function.values["garbage"]):
        return False  # None for a row: TRL does not score it, and the mean lacks it
    different = any(len(rewards) > 1 for rewards in function.by_row.values())
    return different and sum(function.best) / len(function.best) <= sum(function.garbage) / len(
        function.garbage
    )


def _compared(function: Reward) -> str:
    """The rewards of right answers and of garbage, in words.

    A form of the right answer that gets less than garbage says most.
    """
    garbage = shown(function.garbage)
    for kind, values in function.values.items():
        title, _, label = kind.partition(": ")
        if title == "gold" and all(map(operator.lt, values, function.garbage)):
            return f"right answers {shown(values)} (form: {label}), and garbage {garbage}"
    best = shown(function.best)
    return f"right answers {best}, and garbage {garbage if garbage != best else 'the same'}"


UNSCORED = (
    *((0, GOLD, 1.0), (0, GARBAGE, 1.0), (0, "empty", 0.0)),
    *((1, GOLD, 1.0), (1, GARBAGE, float("nan")), (1, "empty", float("nan"))),
)
"""What a function gives that returns None for an answer without its form."""
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(returned(gold=0.0, garbage=1.0)),
            says="mine.score gives right answers 0 (form: boxed), and garbage 1",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
        Good(FILES, versions=TRL, answers=answers(returned(values=UNSCORED))),
        Good(FILES, versions=TRL, answers=answers(returned(0.0, 1.0, reads_gold=False))),
        Good(FILES, versions=TRL, answers=answers(returned(), gold=None), skipped="no column"),
    ),
)
