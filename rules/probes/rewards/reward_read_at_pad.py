"""The model of a reward function reads its score at a pad.

The function scores a batch of texts with a model, pads the shorter ones on the right, and reads the
score at the last place (`[:, -1]`): for a short text that is a pad. Its reward then depends on how
long the completions beside it are, and the policy learns from noise. No error is raised.

Remedy: pad on the left (`tokenizer(texts, padding=True, padding_side="left")`), or read the score
at the last token that is no pad: `scores[range(len(mask)), mask.sum(-1) - 1]`.

Versions: every trl with GRPOTrainer. A completion is scored alone, beside a longer one, and beside
a shorter one; reported are functions that call a model with a padded batch, change the score only
beside the longer one, and change it also for the text alone if pads are put behind it.

Seen: reproduced with GRPO of trl 1.16.0 and a Llama with a scalar head: a text gets another reward
beside a longer one; with padding on the left it gets the same.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import rewards, weighed
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rewards import FILES, TRL, answers, returned


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in weighed(facts) if answer.measured.rows else ():
        if function.trial.of_padding:
            yield Finding(
                place(facts, function),
                f"{function.name} gives a completion another reward beside a longer one: its model "
                "reads the score of the shorter text at a pad token",
                defined(function),
            )
    refuse_unjudged(answer, rows=True)


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(replace(returned(), of_padding=True)),
            says="mine.score gives a completion another reward beside a longer one",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
        Good(
            FILES,
            versions=TRL,
            answers=answers(replace(returned(), of_padding=True), rows=0),
            skipped="not on this machine",
        ),
    ),
)
