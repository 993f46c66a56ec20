"""A reward function pays for no answer as models end it.

TRL passes `completion_ids` with the token that ends an answer, such as `<|im_end|>`. A function
that decodes them itself gets texts with this token behind them. A pattern that ends before it
(`…</answer>$`) matches none of them: each complete answer gets what garbage gets, and only answers
that were cut off at the limit can match.

A pattern such as `^…</answer>\\n$` asks for a line break behind the answer instead. The token that
ends a turn follows the last word of an answer, and TRL takes it away: no line break is there.

Remedy: decode with `skip_special_tokens=True`, or read the texts of `completions`, from which TRL
has left special tokens out. Compare the text without blanks at its end: `text.strip()`.

Versions: every trl with GRPOTrainer. The function is called on right answers and on texts that its
own patterns match: with and without a line break behind them, and where trl passes
`completion_ids`, with and without the token that ends them.

Seen: simple_GRPO#19. Reproduced with GRPO of trl 1.16.0: an answer in the right format gets -1 with
`batch_decode(completion_ids)`, and 1.25 with `skip_special_tokens=True`. dllm#118: an answer in the
form of the system prompt gets 0 from `^<reasoning>…</answer>\\n$`.
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
    for function in weighed(facts):
        if function.counted and function.trial.misses_ends:
            yield Finding(
                place(facts, function),
                f"{function.name} pays for a right answer only without the token that ends it, "
                "which completion_ids have: a text that it decodes from them ends in this token",
                defined(function),
                remedy="decode with skip_special_tokens=True, or read completions",
            )
        if function.counted and function.trial.misses_bare_ends:
            yield Finding(
                place(facts, function),
                f"{function.name} pays for a right answer only with a line break behind it: models "
                "write none before the token that ends the answer",
                defined(function),
                remedy="let the pattern end without the line break, or strip the text before",
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
        Bad(
            FILES,
            versions=TRL,
            answers=answers(replace(returned(), misses_bare_ends=True)),
            says="mine.score pays for a right answer only with a line break behind it",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
