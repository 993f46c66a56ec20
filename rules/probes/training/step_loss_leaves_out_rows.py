"""The script's own loss leaves out rows of the batch.

Rows with labels have no gradient: the loss reads a part of the batch only, often the first row
(`logits[0, :-1]`). Of a batch of four the model learns one row, and the loss looks as usual.

Remedy: compute the loss of every row: write `[:, :-1]` for `[0, :-1]`, and take the mean over all
tokens with a label.

Versions: any; a loss in a `compute_loss` or a `compute_loss_func` of the script is measured in a
rehearsal, by its gradient with respect to the logits of up to four rows. It is reported if the same
place of the batch is left out whichever row stands there. A loss that chooses rows by what they are
(hard ones, those with a weight) is left alone, and a run with batches of one row.

Seen: reproduced with SFT of trl 1.16.0: with such a loss only one row of each batch changes the
weights; with `[:, :-1]` all do.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.step import SFT, TRL, trained


def check(facts: Facts) -> Iterator[Finding]:
    share = facts[stepped].rowless
    if facts[stepped].copied is None and share is None:
        raise NotConcerned("the loss is the library's, or was not measured")
    if share:
        yield Finding(
            facts.run.place(),
            f"the script's own loss leaves out {share:.0%} of the rows of a batch: nothing is "
            "learned from them",
        )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            SFT,
            versions=TRL,
            answers=trained({"rowless": 0.75}),
            says="the script's own loss leaves out 75% of the rows of a batch",
        ),
        Good(SFT, versions=TRL, answers=trained({"masked": 0.0, "copied": 0.0})),
        Good(SFT, versions=TRL, answers=trained()),
    ),
)
