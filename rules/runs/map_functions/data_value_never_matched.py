"""A value is compared that the data write otherwise.

A function of `map` or `filter` compares a column with a word: `row["winner"] == "A"`. The data have
"a" and "b". The comparison is true in no row, and every row takes the other branch: losers become
the chosen answers, all labels are alike, or a filter keeps nothing of a kind. No error is raised.

Remedy: write the value as the data have it, or compare without capitals and spaces:
`row["winner"].strip().lower() == "a"`. A number in the data needs a number: `row["label"] == 1`.

Versions: any. Only a rehearsal sees it: it compares the functions with the first rows that they
get. Reported where no row has the value, and some have it with other capitals, with spaces around
it, or as another type.

Seen: reproduced with DPO of trl 0.24.0 and 1.16.0: half of the pairs are turned round, and the loss
stays at 0.69.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "never equal"
MESSAGE = "{place} compares {0} with {1}: no row that was read has it, and the data write {2}"


def check(facts: Facts) -> Iterator[Finding]:
    return mistake_findings(facts, {WHAT: MESSAGE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "train.py:12 compares winner with 'A': no row that was read has it, and the data write"
    return mistake(WHAT, ("winner", "'A'", "'a'"), "train.py:12", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
