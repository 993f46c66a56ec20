"""The answer with the lowest score is learned.

The data have several answers to a question, with a score for each. The script takes one for each
question, and it is the one with the lowest score: a sort or a comparison is the wrong way round.
The loss falls as it should.

Remedy: take the answer with the highest score. If a low score is a good one, rename the column.

Versions: every trl. Only a rehearsal sees it: it finds the answers of the rows in the data that the
script has read. At least 6 questions must be found, and in four of five the answer must be the
worst one. Nothing is reported if the code of the script or a comment says `worst`, or that a low
score is a good one, as `lower is better`.

Seen: reproduced with SFT of trl 0.24.0 and 1.16.0: `idxmin` of pandas in place of `idxmax`, with
two answers to each question.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule
from trl_doctor.facts.run_trainer import known_trainer

PAIRS = ("dpo", "orpo", "cpo", "reward")
"""Trainers of which another rule says it."""

WHAT = "lower score taken"
MESSAGE = (
    "the answer with the lowest {0} is learned in {3} of {4} rows: it has {1}, and another one {2}"
)


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) in PAIRS:
        raise NotConcerned("the rows of this trainer are pairs of answers")
    yield from mistake_findings(facts, {WHAT: MESSAGE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "the answer with the lowest score is learned in 40 of 40 rows: it has 2, and"
    return mistake(WHAT, ("score", "2", "12", "40", "40"), "train.py:12", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
