"""The run trains on padding.

The tokenizer has padded the rows (`padding="max_length"`), and the padding has labels: `labels` is
a copy of all of `input_ids`, made by the script or by the trainer. A large part of the loss is then
about padding, which is learned at once: the loss looks low, and the answers count for little.

Remedy: tokenize without `padding`: the trainer's collator pads the rows and gives padding no loss.
Or set the label to -100 at each position whose attention mask is 0.

Versions: any. A rehearsal also looks at a batch of two rows of different lengths, with the script's
own collator, and at scripts with the `Trainer` of transformers. One such label in a row is left
alone: where the same token ends and pads, it is the end of the text.

Seen: reproduced with SFT of trl 1.16.0 and 0.24.0 on rows of 64 positions with 21 tokens of text,
with labels of the script's own, and with rows that have `input_ids` alone: 43 of the 64 labels of a
row are padding. With the `Trainer` of transformers 5.23.0 the same, and with a collator of the
script's own that copies the ids of a padded batch.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.data import step_labels
from trl_doctor.facts.measured.rehearsal import mistake_findings, rehearsed
from trl_doctor.facts.rule import Bad, Examples, Good, Rule
from trl_doctor.facts.run_trainer import trainer

from ..._recorded.step import SFT, TRL, answered, trained

WHAT = "labels on padding"
SEEN = "{0} of the {1} tokens with a loss in a batch of two rows are padding"


def check(facts: Facts) -> Iterator[Finding]:
    seen = list(mistake_findings(facts, {WHAT: SEEN})) if rehearsed(facts) else []
    yield from seen
    if seen:
        return
    labels = facts[step_labels]
    if labels is None or labels.targets is None:
        raise NotConcerned("the batches of this trainer have no labels")
    if labels.on_padding:
        yield Finding(
            facts.run.place(),
            f"{labels.on_padding} of the {sum(labels.targets)} tokens with a loss of "
            f"{trainer(facts)} are padding",
        )


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake

    return (
        Bad(
            SFT,
            versions=TRL,
            answers=trained(targets=(60, 60), on_padding=80),
            says="80 of the 120 tokens with a loss of SFTTrainer of trl 1.16.0 are padding",
        ),
        mistake(WHAT, ("48", "96"), "train.py:9", "48 of the 96 tokens with a loss in a batch of"),
        Good(SFT, versions=TRL, answers=trained()),
        Good(SFT, versions=TRL, answers=answered()),
    )


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
