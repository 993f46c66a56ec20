"""A reward function pays for no answer that ends.

TRL passes `completion_ids` with the token that ends an answer, such as `<|im_end|>`. A function
that decodes them itself gets texts with this token behind them. A pattern that ends before it
(`…</answer>$`) matches none of them: each complete answer gets what garbage gets, and only answers
that were cut off at the limit can match.

Remedy: decode with `skip_special_tokens=True`, or read the texts of `completions`, from which TRL
has left special tokens out.

Versions: every trl that passes `completion_ids` to reward functions. The function is called on
right answers and on texts that its own patterns match, with the token and without it.

Seen: simple_GRPO#19. Reproduced with GRPO of trl 1.16.0: an answer in the right format gets -1 with
`batch_decode(completion_ids)`, and 1.25 with `skip_special_tokens=True`.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import rewards
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rewards import FILES, TRL, answers, returned


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in answer.functions:
        if function.counted and function.trial.misses_ends:
            yield Finding(
                place(facts, function),
                f"{function.name} pays for a right answer only without the token that ends it, "
                "which completion_ids have: a text that it decodes from them ends in this token",
                defined(function),
                remedy="decode with skip_special_tokens=True, or read completions",
            )
    refuse_unjudged(answer)


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(replace(returned(), misses_ends=True)),
            says="mine.score pays for a right answer only without the token that ends it",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
