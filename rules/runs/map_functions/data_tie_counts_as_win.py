"""A tie counts as a win of one answer.

The data say which of two answers is better, and some rows say that neither is. The script asks for
one of the two names, `row["winner"] == "model_a"`, and takes all other rows for the other answer.
The ties become pairs whose chosen answer is an accident, and always on the same side. No error is
raised, and the accuracy of the pairs only stays lower.

Remedy: drop the ties first: `rows.filter(lambda row: row["winner"] in ("model_a", "model_b"))`.

Versions: any. Only a rehearsal sees it: it compares the functions of `map` with the first rows that
they get. Functions that name more than one value of the column, or a tie, are left alone, and so
are those that keep the column, because a later filter can read it.

Seen: reproduced with RewardTrainer of trl 1.16.0 on rows whose winner is `model_a`, `model_b` or
`tie`: all rows become pairs.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "{place} asks whether {0} is {1!r} and takes {2!r} for the other answer: {3} of {4} rows are "
    "pairs without a better answer"
)


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"tie as win": MESSAGE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("winner", "model_a", "tie", "20", "64")
    says = "asks whether winner is 'model_a' and takes 'tie' for the other answer: 20 of 64 rows"
    return mistake("tie as win", words, "train.py:12", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
