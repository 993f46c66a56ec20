"""A reward takes a classifier's score without its label.

`pipeline("text-classification", …)` returns the likeliest label with its score. A reward that reads
`result["score"]` alone pays what is surely bad as much as what is surely good: both have a score
near 1. The policy learns to be clear, not to be good. No error is raised, and rewards are high from
the first step on.

Remedy: `result["score"] if result["label"] == "POSITIVE" else 1 - result["score"]`, with the name
that the model's config gives to the wanted label.

Versions: every transformers. Only a rehearsal sees it: it notes what is read of the results while
the trainer trains. A classifier with one label, labels that do not exclude each other, and lists of
all labels (`top_k=None`) are not reported.

Seen: reproduced with GRPO of trl 1.16.0: two completions with opposite labels get the same reward.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "score without label"
MESSAGE = (
    "{place} reads the score of a classifier's likeliest label, and never which label that is: a "
    "completion that is surely bad gets as much as one that is surely good"
)


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {WHAT: MESSAGE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "train.py:9 reads the score of a classifier's likeliest label, and never which"
    return mistake(WHAT, (), "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
