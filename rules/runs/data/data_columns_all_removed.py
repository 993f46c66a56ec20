"""Every column of the rows is removed.

`remove_columns` is given all columns of a data set, for example all but those of a list that other
files have. datasets then drops the rows, too. The trainer ends with an error that does not name the
reason, such as a bare `StopIteration`.

Remedy: keep the column that the run trains on: add it to the list, and name it in
`dataset_text_field` if it is not `text`.

Versions: every release of datasets. Only a rehearsal sees it.

Seen: alignment-handbook#137. Reproduced with SFT of trl 1.16.0 and 0.24.0: `StopIteration` while
the trainer is created.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsal
from trl_doctor.facts.rule import Examples, Rule

WHAT = "every column removed"
MESSAGES = {
    WHAT: "remove_columns at {place} removes every column ({0}), and with them all {1} rows"
}


def check(facts: Facts) -> Iterator[Finding]:
    rows = rehearsal(facts).training_rows
    if rows and rows.rows:
        return  # it trains on another data set
    remedy = "keep the column that the run trains on"
    yield from mistake_findings(facts, MESSAGES, remedy=remedy)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "remove_columns at train.py:17 removes every column (content, url), and with them all 4"
    return (mistake(WHAT, ("content, url", "4"), "train.py:17", says), no_mistake())


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
