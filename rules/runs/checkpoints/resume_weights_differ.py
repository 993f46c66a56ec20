"""The run resumes with other weights than its checkpoint has.

A second training of the script resumes from a checkpoint of the first one, but trains other
weights: layers are thawed in between, or the adapter has more parts. The checkpoint has the state
of the optimizer, in the order of the weights. With more weights or fewer it does not fit, and the
run ends when the first part is done. With as many others each gets the state of another one.

Remedy: begin the second training with the checkpoint as its model (`from_pretrained(checkpoint)`),
and call `train()` without it; or train the same weights in both. `save_only_model=True` keeps no
state of the optimizer.

Versions: every release. Only a rehearsal sees it, where both trainings are in one script.

Seen: pysot#92. Reproduced with SFT of trl 0.24.0 and 1.16.0: two steps of the upper layer, and
then all weights: "loaded state dict contains a parameter group that doesn't match the size of
optimizer's group".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MORE = {
    "resumes with more weights": "the training at {place} resumes with {1} weights, and the "
    "checkpoint has the optimizer of {0}: it cannot be loaded, and the run ends",
}
OTHERS = {
    "resumes with other weights": "the training at {place} resumes with {1} weights, and the "
    "checkpoint has the optimizer of {0} others: each weight gets the state of another one",
}


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MORE)
    yield from mistake_findings(facts, OTHERS, severity="warning")


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    at = "train.py:9"
    return (
        mistake("resumes with more weights", ("9", "21"), at, "the optimizer of 9: it cannot"),
        mistake("resumes with other weights", ("9", "9"), at, "of another one", "warning"),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
