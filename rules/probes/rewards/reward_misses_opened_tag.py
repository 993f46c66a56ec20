"""A reward function asks for a tag that the prompt has opened.

The chat template, or the prompt itself, ends with a tag such as `<think>`. The model goes on behind
it, and TRL gives the reward function the completion alone. The function looks for the opening tag
in the completion, so a right answer gets what garbage gets. If the function gives every completion
the same, it teaches nothing. Else it teaches the model to write the tag a second time.

Remedy: put the tag before each completion in the function, `"<think>" + text`; or ask for the
closing tag only.

Versions: every trl with GRPOTrainer. `reward-asks-for-prefilled-tag` reports TRL's own
`think_format_reward` in a run file.

Seen: trl#6966. Reproduced with GRPO of trl 1.16.0 and 0.24.0: a pattern that begins with
`^<think>` gives 0 to a well-formed completion after a prompt that opens the tag, and 1 to the same
one with the tag.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import rewards, weighed
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rewards import FILES, TRL, answers, returned

OF_TRL = "think_format_reward"


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in weighed(facts):
        tag = function.trial.asks_for
        if not tag or (function.name == OF_TRL and not facts.run.by_class):
            continue
        yield Finding(
            place(facts, function),
            f"{function.name} gives nothing to a completion without <{tag}>, and the prompt ends "
            f"with <{tag}>: the completion begins after it",
            (
                "tried: answers after the open tag, and the same ones with the tag",
                *defined(function),
            ),
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
            answers=answers(replace(returned(), asks_for="think")),
            says="mine.score gives nothing to a completion without <think>, and the prompt ends",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
        Good(
            FILES,
            versions=TRL,
            answers=answers(replace(returned(), asks_for="think", name=OF_TRL)),
        ),
    ),
)
