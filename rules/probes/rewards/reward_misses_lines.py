"""A reward function misses answers of several lines.

The function pays for a right answer whose reasoning is one line, and gives the same answer in two
lines what it gives to garbage. In a Python pattern the dot matches no line break. Models write
several lines there: nearly all completions get the lowest reward, and a reward that is the same for
all teaches nothing.

Remedy: compile the pattern with `re.DOTALL`, or begin it with `(?s)`.

Versions: every trl with GRPOTrainer. The function is called on right answers in the form that the
prompt asks for. A pattern that stands in the call of `re.match` is reported by
reward-pattern-of-one-line.

Seen: reproduced with GRPO of trl 1.16.0: `re.compile(r"<reasoning>\\n.*?\\n</reasoning>…")` gives
0.5 to one line of reasoning, and 0 to two.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import rewards, weighed
from trl_doctor.facts.rewards.sources import reward_signatures
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rewards import FILES, TRL, answers, returned


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    told = {signature.name for signature in reward_signatures(facts) if signature.one_line}
    for function in weighed(facts):
        if function.counted and function.trial.misses_lines and function.name not in told:
            yield Finding(
                place(facts, function),
                f"{function.name} pays for a right answer in one line, and gives nothing if its "
                "reasoning has two: does its pattern lack re.DOTALL?",
                defined(function),
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
            answers=answers(replace(returned(), misses_lines=True)),
            says="mine.score pays for a right answer in one line, and gives nothing if",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
