"""The log has a value that a checkpoint cannot hold.

A checkpoint has a file `trainer_state.json` with all that was logged. The script logs a tensor or
an array, which JSON does not have. The run trains until its first checkpoint and then dies with "is
not JSON serializable".

Remedy: log numbers: `self.log({"name": value.item()})`.

Versions: every transformers. Only a rehearsal sees it, and only for runs that save checkpoints.

Seen: reproduced with RewardTrainer of trl 0.15.2: TypeError at the first checkpoint; with `.item()`
the run ends.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "the script logs {0} as a {1}: the first checkpoint fails, because its trainer_state.json "
    "cannot hold it"
)
REMEDY = "log a number: call .item()"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"log is no JSON": MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "the script logs train_margin as a Tensor: the first checkpoint fails"
    return mistake("log is no JSON", ("train_margin", "Tensor"), "train.py:30", says), no_mistake()


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
