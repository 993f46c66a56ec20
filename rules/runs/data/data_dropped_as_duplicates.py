"""Most rows are dropped as duplicates of one column.

The script keeps one row for each value of a column that many rows share, such as a system text, a
source or a label: `drop_duplicates(subset="system")`, or a set of keys that it has seen. Rows with
other questions are dropped, and a few are left. No error is raised; the run is short, and learns
these few rows by heart.

Remedy: look for duplicates by the question, or by all columns; print the number of rows after it.

Versions: every trl. Only a rehearsal sees it: it compares the rows that the script has read from
JSON, CSV or `datasets` with those that it trains on. It is reported if a tenth of the rows is left
or less, which are the first or the last with each value of a column, and most rows ask questions of
their own.

Seen: reproduced with SFT of trl 1.16.0: `drop_duplicates(subset="system")` of pandas leaves 2 of 60
rows, which ask 60 different questions.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "rows dropped"
MESSAGE = (
    "{0} of the {1} rows that were read are trained on: one for each value of {2}; the others ask "
    "other questions"
)


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {WHAT: MESSAGE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "2 of the 60 rows that were read are trained on: one for each value of system"
    return mistake(WHAT, ("2", "60", "system"), "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
