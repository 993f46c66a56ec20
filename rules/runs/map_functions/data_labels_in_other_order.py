"""The script gives labels the names of other labels.

A script writes the names of the labels itself, `["negative", "positive"][row["label"]]`, and the
data have the same names in another order. Each label gets the name of another one, the model learns
the opposite, and the loss falls as usual.

Remedy: take the names from the data: `dataset.features["label"].names`, or their column of names.

Versions: any. Only a rehearsal sees it: it compares the names in the functions of `map` and
`filter` with the names of a `ClassLabel`, or with a column of texts that has one name for each
number.

Seen: reproduced with SFT of trl 1.16.0 and 0.24.0: all answers of the rows are wrong.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "{place} calls {0} {1} {2!r}, and the data call it {3!r}: the names of the labels are in "
    "another order"
)


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"labels in other order": MESSAGE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "calls label 0 'bad', and the data call it 'good'"
    return mistake(
        "labels in other order", ("label", "0", "bad", "good"), "train.py:7", says
    ), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
