"""The labels say the contrary of the data.

The data have a column that says whether an answer is good, as `thumbs_up`, or a rating. Each label
of the rows to train on is its opposite: `not` or `<` was written the wrong way round. The model
learns to give the bad answers. The loss looks normal.

Remedy: turn the condition round where the labels are made. If the column is true for bad answers,
give it a name that says so.

Versions: every trl; KTO and BCO. Only a rehearsal sees it: it finds the answers in the data that
the script has read. At least 8 rows must be found, and nearly all labels must be turned round; with
a rating, each wanted answer must have a lower one than each other answer. The name of the column or
its values must say what is good: `thumbs_up`, "good" and "bad". Nothing is reported if another
column agrees with the labels.

Seen: reproduced with KTO of trl 0.24.0 and 1.16.0: `"label": not row["thumbs_up"]` and
`"label": row["rating"] < 3` train without a warning.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "labels against data"
MESSAGE = "the labels are the contrary of {0} in {3} of {4} rows: the label is {2} where {0} is {1}"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {WHAT: MESSAGE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "the labels are the contrary of thumbs_up in 64 of 64 rows: the label is False where"
    words = ("thumbs_up", "True", "False", "64", "64")
    return mistake(WHAT, words, "train.py:12", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
