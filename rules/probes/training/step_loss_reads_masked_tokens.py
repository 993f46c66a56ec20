"""The script's own loss trains on tokens without a label.

The labels of some tokens are -100: questions, tools' answers, padding. The cross-entropy leaves
them out, but another term of the script's own loss does not: a distillation, a penalty, or a mean
over the attention mask. The model is trained on what it is not to learn. The loss falls as
usual.

A batch without labels has padding, too. A loss that adds the log-probabilities of all tokens behind
the prompt, as some scripts do for DPO, adds those of the padding: the score of an answer depends on
the longest row beside it.

Remedy: compute the term at the positions with a label only:
`mask = labels[:, 1:] != -100`, and the logits at `[:, :-1]`. Without labels take
`attention_mask[:, 1:]`.

Versions: any; a loss in a `compute_loss` or a `compute_loss_func` of the script is measured in a
rehearsal, by its gradient with respect to the logits. A term that is meant to hold the model at
its reference everywhere is right as it is, and one that has less than 2% of the gradient is not
reported: it may hold the scale of all logits, as a z-loss does.

Seen: Soup#682, 0xallam/Direct-Preference-Optimization#4. Reproduced with SFT of trl 1.16.0 and a
second loss over the attention mask: a part of the gradient is at the question; with a mask of the
labels none is. With the `Trainer` of transformers 5.23.0 and a DPO loss of the script's own: the
answer "No." has a log-probability of -67 alone and of -122 beside longer rows, and -35 in both with
the mask.
"""

from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.step import SFT, TRL, trained

LEAST = 0.02
"""The share of the gradient that is reported."""


def check(facts: Facts) -> Iterator[Finding]:
    step = facts[stepped]
    share, padded = step.masked, step.padded  # None, too, for a loss that is not shifted
    if share is None and padded is None:
        raise NotConcerned("the loss is the library's, or was not measured")
    if share is not None and share >= LEAST:
        yield Finding(
            facts.run.place(),
            f"{share:.0%} of the gradient of the script's own loss is at tokens whose "
            "label is -100, which are not to be learned",
            follows=("step-loss-skips-tokens",),
        )
    elif padded is not None and padded >= LEAST:
        yield Finding(
            facts.run.place(),
            f"{padded:.0%} of the gradient of the script's own loss is at padding: what it "
            "computes of a row depends on the longest row of its batch",
            remedy="multiply by the attention mask of the tokens, `attention_mask[:, 1:]`",
        )


def _measured(share: float) -> dict[str, Any]:
    return {"masked": share}


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            SFT,
            versions=TRL,
            answers=trained(_measured(0.25)),
            says="25% of the gradient of the script's own loss is at tokens whose label is -100",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=trained({"padded": 0.4}),
            says="40% of the gradient of the script's own loss is at padding",
        ),
        Good(SFT, versions=TRL, answers=trained({"padded": 0.0})),
        Good(SFT, versions=TRL, answers=trained(_measured(0.0))),
        Good(SFT, versions=TRL, answers=trained(_measured(0.01))),
        Good(SFT, versions=TRL, answers=trained()),
    ),
)
