"""A cut leaves no row of a data set that was added.

`concatenate_datasets([one, other])` puts the rows of `other` behind those of `one`.
`select(range(1000))` or `take(1000)` then takes the first rows: if `one` has 1,000 rows or more,
the run never sees `other`. No error is raised, and the model does not learn what `other` was added
for.

Remedy: shuffle first, `both.shuffle(seed=0).select(range(1000))`, or take some rows of each data
set before they are put together.

Versions: every release of datasets. Only a rehearsal sees it: it follows what the script makes of
its data sets. Rows that another part of the script takes, as those to evaluate on, are not counted
as lost. Lists and tables that are put together are not followed.

Seen: reproduced with SFT of trl 1.16.0: 200 rows of one task and 100 of another, and the first 200
of both: no row of the other task is trained on.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "part cut off"
MESSAGES = {
    WHAT: "train_dataset is `{0}` of {1} rows that were put together: no row of data set {2} is "
    "left"
}


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("select(range(0, 200))", "300", "2")
    says = "`select(range(0, 200))` of 300 rows that were put together: no row of data set 2"
    return mistake(WHAT, words, "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
