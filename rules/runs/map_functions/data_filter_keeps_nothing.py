"""A filter keeps none of the first rows.

The condition of a `filter` is false for all rows that were read: a column that is compared with
another spelling, a number with a text, a limit in characters where tokens were meant, a condition
the wrong way round. If it keeps none of the other rows either, the run has no rows and ends; if it
keeps a few, it trains on hardly anything.

Remedy: look at some rows and at the condition.

Versions: every release of datasets. Only a rehearsal sees it. It reads the first 64 rows, and where
none of them passes the first 1,024; the training itself goes on with all of these rows. If the data
is sorted and the right rows come later, nothing is wrong.

Seen: reproduced with SFT of trl 1.16.0: `row["lang"] == "EN"` where all rows have "en"; the real
run ends with an error about no rows, and its rehearsal passed before.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = "the filter at {place} keeps none of the first {0} rows"
REMEDY = "look at its condition and at some rows"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"filter keeps nothing": MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "the filter at train.py:8 keeps none of the first 1,024 rows"
    return mistake("filter keeps nothing", ("1,024",), "train.py:8", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
