"""A text or a vote of -1 is taken for true or false.

A column holds texts such as "True" and "False", as tables of CSV and of JSON often do. The script
asks `if row["label"]`, or calls `bool(row["label"])`. Every text that is not empty counts as true:
all rows get the same label, or none is filtered out. The same happens to votes that are 1 and -1:
every number but 0 counts as true. No error is raised.

Remedy: compare the value: `row["label"] == "True"`, `row["vote"] > 0`.

Versions: any. Only a rehearsal sees it: it compares the functions of `map` and `filter` with the
rows that they get.

Seen: reproduced with KTO of trl 1.16.0 and 0.24.0: `bool(row["label"])` makes every label true, and
so does `bool(row["vote"])` of votes that are 1 and -1.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "{place} takes the text of {0} for true or false, and {1!r} counts as true, as every text that "
    "is not empty"
)

NUMBER = "{place} takes {0} for true or false, and -1 counts as true, as every number but 0"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"text as truth": MESSAGE, "number as truth": NUMBER})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "takes the text of label for true or false, and 'False' counts as true"
    number = "train.py:7 takes vote for true or false, and -1 counts as true"
    return (
        mistake("text as truth", ("label", "False"), "train.py:7", says),
        mistake("number as truth", ("vote",), "train.py:7", number),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
