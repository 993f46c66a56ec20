"""A batched map empties a column, and all rows are lost.

The function of a `map` with `batched=True` returns an empty list for a column that the rows have,
to get rid of it, and full lists for new ones. If it is the first column, datasets takes the batch
for one without rows, and drops all of it. There is no error: the data set is empty, or lacks the
rows of these batches. Put together with other rows it is not missed.

Remedy: leave the column out of what the function returns, and name it in `remove_columns`.

Versions: datasets 5.2.0 and older; a release that refuses it says "expected length". Only a
rehearsal sees it, and calls the function once more on the first rows.

Seen: datasets#8311. Reproduced with datasets 5.2.0 and 5.0.1, and SFT of trl 1.16.0: of 8 rows of
two files 4 are trained on, and the pages of a book are none of them.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGES = {
    "map empties a column": "the map at {place} makes the column {0} empty and {1} not: datasets "
    "drops these rows, {2} of {3}"
}


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("text", "input_ids", "4", "4")
    says = "the map at train.py:8 makes the column text empty and input_ids not: datasets drops"
    return mistake("map empties a column", words, "train.py:8", says), no_mistake()


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
