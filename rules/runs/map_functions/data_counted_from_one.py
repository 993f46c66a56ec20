"""The script counts from 1, and the data count from 0.

A function of the script takes `choices[row["answer"] - 1]`, and some rows have the answer 0. Python
reads the place -1 as the last one. So every row gets a wrong choice, and a row with 0 the last one.
The model learns wrong answers, and no error is raised.

Remedy: take `choices[row["answer"]]`.

Versions: any. Only a rehearsal sees it: it compares the functions of `map` and `filter` with the
rows that they get. Functions that decide by the number first are not judged.

Seen: reproduced with SFT of trl 1.16.0 and 0.24.0: all answers of the rows are wrong.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "{place} takes 1 from {0} before it looks a value up, and {0} counts from 0: rows with 0 get "
    "the last value, all others the one before theirs"
)


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"counted from one": MESSAGE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "takes 1 from answer before it looks a value up, and answer counts from 0"
    return mistake("counted from one", ("answer",), "train.py:7", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
