"""The labels are other tokens than the row has there.

A causal model learns at each position to say the next token, and `labels` are a copy of
`input_ids`, with -100 where nothing is learned. In the rows of this run most labels differ from the
token at their place: a script has put the beginning of the prompt, or an answer that is moved by
some places, where the answer stands. The loss goes down, and the model learns to say words that do
not follow.

Remedy: make the labels of the tokens themselves: `labels = [-100] * len(prompt_ids) + answer_ids`,
cut like `input_ids`.

Versions: any. Reported if half of a row's labels or more are wrong. A `compute_loss` of the
script's own is not judged, nor are encoder-decoder models, nor rows in which a collator draws
tokens: these learn the tokens that were there. Labels that are moved by one place are told by
step-labels-shifted-twice.

Seen: reproduced with SFT of trl 1.16.0 and 0.24.0: trained on one text until its loss is near 0, a
small model predicts the next token at none of its positions if its labels are moved by five places;
with labels at their places, at all of them.
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
    if labels.of_other_places:
        yield Finding(
            facts.run.place(),
            f"the labels of {labels.of_other_places} of {labels.rows} rows of {trainer(facts)} are "
            "other tokens than the rows have at their places",
        )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(SFT, versions=TRL, answers=trained(of_other_places=2),
            says="the labels of 2 of 2 rows of SFTTrainer of trl 1.16.0 are other tokens than the"),
        Good(SFT, versions=TRL, answers=trained()),
        Good(SFT, versions=TRL, answers=answered()),
    ),
)  # fmt: skip
