"""The loss is not shifted by one token.

The logits at a token are the prediction of the next token. This loss compares them with the label
of the same token: the model learns to repeat its input. The loss falls faster than usual, and
the trained model repeats the last token. Or it compares them with the label of the token after the
next one (`logits[:, :-2]` with `labels[:, 2:]`, or labels that are shifted before the model shifts
them, too): the loss falls as usual, and the trained model writes nonsense.

Remedy: compare the logits without the last place with the labels without the first:
`logits[:, :-1]` with `labels[:, 1:]`. For a model whose own loss does not shift, give it labels
that are shifted: `labels[:, 1:]`, and -100 at the end.

Versions: any; a loss in a `compute_loss` or a `compute_loss_func` of the script, and that of a
model class that leaves the shift to its caller (MBartForCausalLM), is measured in a rehearsal, by
its gradient with respect to the logits; so is a loss of the script's own in DPO and KTO. Labels
that the rows or a collator have already shifted are not judged, nor a loss that gives the model
other tokens than the batch has, a model class of the script's that moves the tokens itself, and a
second head that is to predict the token after the next one.

Seen: reproduced with SFT of trl 1.16.0: trained on one text with such a loss, a small model repeats
its input and predicts the next token at no place; with shifted labels it predicts it everywhere. A
small MBartForCausalLM of transformers 4.57.6 learns to copy its input, too.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.step import SFT, TRL, trained


def check(facts: Facts) -> Iterator[Finding]:
    share, ahead = facts[stepped].copied, facts[stepped].ahead
    if share is None and ahead is None:
        raise NotConcerned("the loss is the library's, or was not measured")
    if share:
        yield Finding(
            facts.run.place(),
            "the loss does not shift the labels: the model learns to repeat its input "
            f"({share:.0%} of the places)",
        )
    elif ahead:
        yield Finding(
            facts.run.place(),
            "the loss shifts the labels by two tokens: the model learns the token after the next "
            f"one ({ahead:.0%} of the places)",
        )


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            SFT,
            versions=TRL,
            answers=trained({"copied": 1.0}),
            says="the model learns to repeat its input (100% of the places)",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=trained({"ahead": 1.0}),
            says="the loss shifts the labels by two tokens: the model learns the token after the",
        ),
        Good(SFT, versions=TRL, answers=trained({"masked": 0.0, "copied": 0.0})),
        Good(SFT, versions=TRL, answers=trained()),
    ),
)
