"""A reward function wants the whole solution as the answer.

The column of right answers holds whole solutions, as GSM8K does: some sentences, then `#### 42` or
`\\boxed{42}`. The function compares the answer of a completion with all of that text, so a
completion that answers 42 gets nothing. No completion is ever right, and the model learns only
from the other rewards. No error is raised.

Remedy: cut the answer out of the solution in `dataset.map`: `row["answer"].split("####")[-1]
.strip()`.

Versions: every trl with GRPOTrainer.

Seen: reproduced with GRPO of trl 0.15.2 and 0.24.0 on rows like those of GSM8K: a completion with
the right number gets 0, one that copies the solution gets the reward. trl#5026: the answer in
`\\boxed{}` is cut out of completions, and compared with whole solutions: even a copy gets 0. In a
rehearsal the function is tried with the column cut, too.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import Reward, rewards, weighed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.rewards import FINAL

from ..._recorded.rewards import FILES, TRL, answers, returned


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in weighed(facts):
        if function.counted and answer.measured.rows and function.trial.paid_with_ends:
            yield Finding(
                place(facts, function),
                f"{function.name} pays no right answer, because the column {answer.measured.gold} "
                "holds whole solutions: it pays if the column holds the answer at their end alone",
                (
                    "tried: the text after #### or in \\boxed{}, in the usual forms, with the "
                    "column as it is and with this text alone in it",
                    *defined(function),
                ),
            )
        elif function.counted and answer.measured.rows and _of_whole(function):
            yield Finding(
                place(facts, function),
                f"{function.name} rewards only the whole text of the column "
                f"{answer.measured.gold}: the answer at its end alone gets nothing",
                (
                    "tried: the text after #### or in \\boxed{}, alone and in the usual forms",
                    *defined(function),
                ),
            )
    refuse_unjudged(answer, rows=True)


def _of_whole(function: Reward) -> bool:
    """Whether the end of each solution gets what garbage gets, and the whole solution more."""
    ends = [value for kind, some in function.values.items() if kind.startswith(FINAL)
            for value in some]  # fmt: skip
    if not ends or not function.garbage or not function.best:
        return False
    return max(ends) <= min(function.garbage) and min(function.best) > max(function.garbage)


WHOLE = replace(returned(), values=(*returned().values, (0, f"{FINAL}: alone", 0.0)))
SOME = replace(returned(), values=(*returned().values, (0, f"{FINAL}: alone", 1.0)))
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(WHOLE),
            says="mine.score rewards only the whole text of the column",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(replace(returned(), paid_with_ends=True)),
            says="mine.score pays no right answer, because the column",
        ),
        Good(FILES, versions=TRL, answers=answers(SOME)),
        Good(FILES, versions=TRL, answers=answers(returned())),
        Good(FILES, versions=TRL, answers=answers(WHOLE, rows=0), skipped="not on this machine"),
    ),
)
