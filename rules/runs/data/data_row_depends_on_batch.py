"""A row is made of other rows of its batch.

`map(…, batched=True)` gives a function the columns of many rows at once. A function that reads
`batch["question"][0]` in its loop gives every row the question of the first one. The texts of the
rows are then wrong, and no error is raised.

Remedy: go through the columns together: `for q, a in zip(batch["question"], batch["answer"])`.

Versions: every release of datasets. Only a rehearsal sees it: it gives the function two of the rows
alone, twice each. Functions that return another number of rows, get the index of a row, or give one
row different texts each time are not judged.

Seen: reproduced with SFT of trl 1.16.0 and datasets 5.2.0: 36 rows get 12 different prompts; with
`zip` 36.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "the function of map at {place} gives {0} another value if it gets the row alone: it reads "
    "other rows of the batch"
)


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"mixed rows": MESSAGE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "the function of map at train.py:12 gives prompt another value"
    return mistake("mixed rows", ("prompt",), "train.py:12", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
