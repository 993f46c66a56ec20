"""The labels are shifted twice.

The models of transformers compare their prediction at each position with the label of the next
position. They shift `labels` themselves, so `labels` must be a copy of `input_ids`. The rows or the
collator of this run have already shifted them, so the model learns to predict the token after the
next one. The loss goes down all the same, and the trained model writes nonsense.

Remedy: set `labels` to a copy of `input_ids`, with -100 for tokens that should not be learned.

Versions: any. A `compute_loss` of the script's own is not judged: perhaps it does not shift the
labels.

Seen: reproduced with SFT of trl 1.16.0 and 0.24.0: trained on one text until its loss is near 0, a
small model predicts the next token at none of its positions; with labels that are not shifted, at
all of them.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.data import step_labels
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.step import SFT, TRL, answered, trained


def check(facts: Facts) -> Iterator[Finding]:
    labels = facts[step_labels]
    if labels is None or labels.targets is None:
        raise NotConcerned("the batches of this trainer have no labels")
    if labels.shifted:
        yield Finding(
            facts.run.place(),
            f"the labels of {labels.shifted} of {labels.rows} rows of {trainer(facts)} are the "
            "tokens of the next places, and the model shifts them once more",
        )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(SFT, versions=TRL, answers=trained(shifted=2), says="the labels of 2 of 2 rows"),
        Good(SFT, versions=TRL, answers=trained()),
        Good(SFT, versions=TRL, answers=answered()),
    ),
)
