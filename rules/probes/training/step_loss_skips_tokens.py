"""The script's own loss skips the first or the last token.

The logits at the place t - 1 predict the token at t. A loss that cuts the logits or their mask at
other places has no gradient at one end of each answer, and looks as usual. Without the first token
the model never learns how an answer begins. Without the last one, usually the token that ends a
text, it never learns to stop: it goes on until the limit.

Remedy: read the prediction one place before each token. For an answer from `start` to `end` take
`logits[start - 1 : end - 1]`, or shift all three in the same way: `logits[:, :-1]`, `labels[:, 1:]`
and `mask[:, 1:]`.

Versions: any; a loss in a `compute_loss`, a `compute_loss_func` or another method of the script is
measured in a rehearsal, by its gradient with respect to the logits of up to four rows or pairs, in
SFT, DPO, KTO, CPO and ORPO. It is reported if the token is left out in every row, if all other
tokens of the answers have a gradient, and if another token in its place is left out, too. So a loss
that leaves out tokens by chance or by what they are is left alone, but for an end that is the pad
token.
It is an error if the first token is lost, or if a token beside the answer is learned for it. A
last token alone may be left out on purpose, so may a first token with which all answers begin, and
weights that begin at 0 may be meant: these are warnings.

Seen: fw-ai/cookbook#388. Reproduced with SFT, DPO and KTO of trl 1.16.0: trained on one answer with
such a loss, a small model learns all of its tokens but the first or the last one; with a loss that
is cut one place earlier it learns all.
"""

from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.step import Unlearned

from ..._recorded.step import SFT, TRL, trained

LOST = {
    "first": "how an answer begins is never learned",
    "last": "the model never learns to stop there",
}
PADS = (
    "do not leave out tokens of the loss by the id that pads: use the labels or the attention mask "
    "of the batch, or let another token pad than the one that ends a text"
)


def check(facts: Facts) -> Iterator[Finding]:
    unlearned = facts[stepped].unlearned
    if unlearned is None:
        raise NotConcerned("the loss is the library's, or was not measured")
    for one in unlearned:
        yield Finding(
            facts.run.place(),
            f"the script's own loss never learns the {one.side} token of the answer "
            f"({one.token!r}) in {_rows(one)}: {_why(one)}, and {LOST[one.side]}",
            severity=None if one.moved or _by_mistake(one) else "warning",
            remedy=PADS if one.pads else "",
        )


def _by_mistake(one: Unlearned) -> bool:
    """Whether no purpose is known for which a loss would leave it out."""
    return one.side == "first" and not one.fades and not one.fixed


def _rows(one: Unlearned) -> str:
    """Which rows lose it."""
    if one.rows < one.of:
        return f"{one.rows} of {one.of} rows, those that are the longest of their batch"
    return f"{one.rows} of {one.of} rows"


def _why(one: Unlearned) -> str:
    if one.pads:
        return "it leaves out the token that pads, which ends the answers, too"
    if one.moved:
        beside = "behind" if one.side == "first" else "before"
        return f"it is shifted by one, and learns the token {beside} the answer instead"
    if one.fades:
        return "it has a weight of 0"
    return "its prediction, at the place before it, has no gradient"


def _unlearned(**changed: Any) -> dict[str, Any]:
    end = Unlearned(**{"side": "last", "token": "<|im_end|>", "rows": 4, "of": 4, **changed})
    return {"unlearned": (end,)}


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            SFT,
            versions=TRL,
            answers=trained(_unlearned(side="first", token=" Six")),
            says="never learns the first token of the answer (' Six') in 4 of 4 rows: its "
            "prediction, at the place before it, has no gradient",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=trained(_unlearned(side="first", token=" Six", moved=True)),
            says="it is shifted by one, and learns the token behind the answer instead",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=trained(_unlearned(moved=True)),
            says="learns the token before the answer instead, and the model never learns to stop",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=trained(_unlearned(rows=1)),
            says="('<|im_end|>') in 1 of 4 rows, those that are the longest of their batch",
            severity="warning",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=trained(_unlearned(pads=True)),
            says="it leaves out the token that pads, which ends the answers, too",
            severity="warning",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=trained(_unlearned(side="first", token=" Six", fades=True)),
            says="(' Six') in 4 of 4 rows: it has a weight of 0, and how an answer begins",
            severity="warning",
        ),
        Bad(
            SFT,
            versions=TRL,
            answers=trained(_unlearned(side="first", token="Answer", fixed=True)),
            says="never learns the first token of the answer ('Answer') in 4 of 4 rows",
            severity="warning",
        ),
        Good(SFT, versions=TRL, answers=trained({"unlearned": ()})),
        Good(SFT, versions=TRL, answers=trained()),
    ),
)
