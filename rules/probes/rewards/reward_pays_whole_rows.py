"""In some rows every completion gets the full reward.

A reward function compares a completion with the right answer in some rows, and gives everything the
reward of a right answer in others: a right answer, garbage and nothing. Often it cannot read the
right answer of these rows (`parse` of math-verify returns an empty list) and returns 1 to leave the
row out. Nothing is learned from such a row, and the mean reward in the log counts it as solved: it
begins high, and says little about the model.

Remedy: return None for such a row, which newer releases leave out of the mean, or remove the row
before the training. If the right answers should be readable, write them in the form that the
function reads, as `$…$` or `\\boxed{…}` around a number.

Versions: every trl with GRPOTrainer. Functions that do not read the column of right answers are not
judged, nor are rows whose completions all get less than a right answer of another row.

Seen: open-r1#293. Reproduced with trl 1.16.0: two of four solutions are plain numbers, and the mean
of the accuracy is 0.5 before anything is learned.
"""

import math
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import Reward, rewards, weighed
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rewards import FILES, GARBAGE, GOLD, TRL, answers, returned


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in weighed(facts) if answer.measured.rows and answer.measured.gold else ():
        judged = function.counted and function.trial.reads_gold and not function.trial.of_earlier
        paid, compared = _rows(function) if judged else ([], [])
        if paid and compared:
            count = len(paid) + len(compared)
            yield Finding(
                place(facts, function),
                f"{function.name} gives {paid[0]:g}, the reward of a right answer, to every "
                f"completion of {len(paid)} of {count} rows: right answers, garbage and nothing",
                (f"tested on {answer.measured.rows} rows of the run", *defined(function)),
            )
    refuse_unjudged(answer, rows=True)
    if not answer.measured.gold:
        raise Unavailable("no column of the data looks like the right answer")


def _rows(function: Reward) -> tuple[list[float], list[float]]:
    """The reward of a right answer in rows where all completions get it, and in all others."""
    trial = function.trial
    rows: dict[int, list[float]] = {}
    for row, _, value in (*trial.values, *trial.exploits):
        rows.setdefault(row, []).append(value)
    highest = {row: max(values) for row, values in rows.items()
               if len(values) > 1 and all(map(math.isfinite, values))}  # fmt: skip
    same = [row for row in highest if len(set(rows[row])) == 1]
    others = [value for row, value in highest.items() if row not in same]
    best = max(others, default=0.0)
    if best <= 0 or any(highest[row] != best for row in same):
        return [], []
    return [highest[row] for row in same], others


MORE = tuple((row, kind, 1.0) for row in (2, 3) for kind in (GOLD, GARBAGE, "empty"))
FEWER = tuple((row, kind, 0.0) for row, kind, _ in MORE)
SOME = returned(values=(*returned().values, *MORE))

RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(SOME, rows=4),
            says="gives 1, the reward of a right answer, to every completion of 2 of 4 rows",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
        Good(FILES, versions=TRL, answers=answers(returned(values=(*returned().values, *FEWER)))),
        Good(FILES, versions=TRL, answers=answers(returned(gold=1.0, garbage=1.0))),
        Good(
            FILES,
            versions=TRL,
            answers=answers(SOME, gold=None, columns=()),
            skipped="looks like the right answer",
        ),
    ),
)
