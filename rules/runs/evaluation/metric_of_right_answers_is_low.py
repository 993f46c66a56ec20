"""A metric is low although every prediction is right.

A rehearsal gives `compute_metrics` predictions that are right everywhere: logits whose largest
entry is the next token of each row. An accuracy is then 1, and this one is not. It compares tokens
that do not belong together, counts masked tokens (-100) as wrong, or has another mistake. It then
says nothing about the model, and the best checkpoint is a random one.

Remedy: `predictions[:, :-1]` belong to `labels[:, 1:]`; leave out where the label is -100. Call the
function with predictions that are right before you train.

Versions: every trl; SFT. Only a rehearsal sees it. Metrics whose names say that they are accuracies
(`accuracy`, `f1`, `exact_match`, …) are compared with 1 and 100; means over classes (`macro`) are
not, because these rows need not have each class.

Seen: reproduced with SFT of trl 1.16.0: without a mask the accuracy of right predictions is 0.45.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "metric of right answers"
MESSAGES = {WHAT: "compute_metrics gives {0} {1} for predictions that are all right"}


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "compute_metrics gives accuracy 0.45 for predictions that are all right"
    return mistake(WHAT, ("accuracy", "0.45"), "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
