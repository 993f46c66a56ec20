"""The script reads log-probabilities of the wrong tokens.

The logits at a token are the prediction of the next token. The script's own code compares them with
this token itself, with the one before it, or with the one after the next: it measures how well the
model repeats what it has read. Sums of log-probabilities, perplexities, rewards and margins that
are made of them say nothing about the texts. There is no error, and the numbers look like others of
the kind.

Remedy: compare the logits without the last place with the token ids without the first:
`logits[:, :-1]` with `input_ids[:, 1:]`. For an answer that begins at `start`, these are
`logits[:, start - 1 : -1]` and `input_ids[:, start:]`.

Versions: every trl; only a rehearsal sees it, where the script's own code calls a causal model and
reads one number for each token: `gather`, `take_along_dim`, an index of places and tokens,
`cross_entropy` and `nll_loss`, also through a function of `trl.trainer.utils`. The place that
logits belong to is known again by its likeliest and least likely tokens, whatever is cut off,
masked or scaled before. A script that also takes the likeliest tokens (`argmax`, `generate` …) is
told only of tokens that the model does not prefer. A loss of a trainer is
`step-loss-not-shifted`'s.

Seen: LlamaFactory#1447. Reproduced with DPO of trl 1.16.0: the margin of the script differs from
that of the trainer, and is the same when the labels are shifted.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.rule import Examples, Rule

OWN, EARLIER = "scores of own tokens", "scores of earlier tokens"
LATER = "scores of later tokens"
MESSAGES = {
    OWN: "{place} takes the logits at a token for the prediction of this token, not of the next "
    "one ({0} of {1} tokens)",
    EARLIER: "{place} takes the logits at a token for the prediction of the token before it, not "
    "of the next one ({0} of {1} tokens)",
    LATER: "{place} takes the logits at a token for the prediction of the token after the next one "
    "({0} of {1} tokens)",
}
REMEDY = "compare logits[:, :-1] with input_ids[:, 1:]"


def check(facts: Facts) -> Iterator[Finding]:
    step = facts.get(stepped)
    if step is not None and (step.copied or step.ahead):
        raise NotConcerned("the loss of the trainer is not shifted")
    yield from mistake_findings(facts, MESSAGES, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    own = "train.py:30 takes the logits at a token for the prediction of this token, not of the"
    earlier = "train.py:30 takes the logits at a token for the prediction of the token before it"
    later = "train.py:30 takes the logits at a token for the prediction of the token after the"
    return (
        mistake(OWN, ("40", "44"), "train.py:30", own),
        mistake(EARLIER, ("40", "44"), "train.py:30", earlier),
        mistake(LATER, ("40", "44"), "train.py:30", later),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
