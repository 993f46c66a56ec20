"""Labels are negative numbers other than -100.

The loss leaves out positions whose label is -100. Another negative number is no token, and does not
mean "no loss": some releases end with an error in the first step, others count these positions in
the loss, so that the model is trained on nothing that is in the rows. There is no warning.

Remedy: write -100 for the positions that have no loss.

Versions: any. A rehearsal looks at a batch of two rows, with the script's own collator. Not
reported: scripts with a loss of their own, which may use such labels.

Seen: reproduced with SFT of trl 1.16.0 on rows with labels of -99: the run ends well, with another
loss than with -100. SFT of trl 0.24.0 raises "IndexError: Target -99 is out of bounds".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "labels are no tokens"
SEEN = "{1} labels in a batch of two rows are {0}, which is no token and not -100"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {WHAT: SEEN}, remedy="write -100 in their place")


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "8 labels in a batch of two rows are -99, which is no token"
    return mistake(WHAT, ("-99", "8"), "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
