"""The script's own loss does not prefer the chosen answers.

A reward model shall give a chosen answer a higher score than the rejected one. The script's loss is
as low, or lower, where the rejected answers have the higher scores. It takes the scores from the
wrong rows of the batch (`scores[0::2]`, where all chosen answers come before all rejected ones), or
subtracts them the wrong way round. The loss falls, and the scores say nothing, or the contrary.

Remedy: give the loss the scores of a pair's own answers: `chosen, rejected = scores.chunk(2)` for
TRL's collator; the loss is `-logsigmoid(chosen - rejected).mean()`.

Versions: any; only a rehearsal sees it. It gives the answers of a batch scores of its own, twice,
and compares the two losses and their gradients. Losses that read no scores of the model are left
alone, pairs whose `margin` is not above 0, and scripts that say that a low score is good (`cost`,
`energy`, "lower is better"). A loss that prefers the rejected answers is a warning: a script may
mean that without saying so.

Seen: reproduced with a class derived from RewardTrainer of trl 1.16.0 and 0.24.0 whose
`compute_loss` takes `scores[0::2]` and `scores[1::2]`: after training the chosen answers do not
have the higher scores; with `chunk(2)` they do.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

ALIKE, TURNED = "loss without pairs", "loss turned round"
MESSAGES = {
    ALIKE: "the script's own loss of {0} pairs is {1} if the chosen answers have "
    "the higher scores, and {2} if the rejected ones have: it compares scores of other rows",
    TURNED: "the script's own loss of {0} pairs is {1} if the chosen answers have "
    "the higher scores, and only {2} if the rejected ones have: it prefers the rejected answers",
}


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {ALIKE: MESSAGES[ALIKE]})
    yield from mistake_findings(facts, {TURNED: MESSAGES[TURNED]}, severity="warning")


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    alike, turned = ("4", "0.693", "0.693"), ("4", "2.13", "0.127")
    return (
        mistake(ALIKE, alike, "train.py:9", "it compares scores of other rows"),
        mistake(TURNED, turned, "train.py:9", "and only 0.127 if the rejected", "warning"),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
