"""The parts for training and evaluation are swapped.

`train_dataset` is the part named "test" or "validation", and `eval_dataset` the part named "train".
The model learns from the few rows of the test, the rows for training are only evaluated, and a
later test has nothing new. No error is raised, and evaluations take long.

Remedy: `train_dataset=split["train"], eval_dataset=split["test"]`.

Versions: every trl. Only a rehearsal sees it: it follows which part of what was loaded each data
set is.

Seen: reproduced with SFT of trl 1.16.0: of 300 rows 30 are trained on.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "parts swapped"
MESSAGES = {WHAT: "train_dataset is the part {0!r}, and eval_dataset the part {1!r}"}


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "train_dataset is the part 'test', and eval_dataset the part 'train'"
    return mistake(WHAT, ("test", "train"), "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
