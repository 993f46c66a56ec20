"""think_format_reward asks for a tag that the prompt has.

The chat template ends the prompt with `<think>`. The completion begins after it, and TRL gives the
reward function the completion alone. `think_format_reward` asks for a completion that begins with
`<think>`: it gives 0 to every answer, also to right ones, and a reward that is always the same
teaches nothing.

Remedy: write a reward function that puts `<think>` before each completion and then calls
`think_format_reward`; or use a template that does not open the tag.

Versions: every trl that has `think_format_reward`.

Seen: trl#6966. Reproduced with GRPO of trl 1.16.0 and a template that opens the tag: a well-formed
answer gets 0.0, and no weight moves; with the tag put before it the answer gets 1.0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.chat_template import chat
from trl_doctor.facts.rewards.names import named
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import tokenizer_facts

from ..._recorded.candidate import CHATML, CONFIG, RUN, candidate, tokenizer_files

NAME = "think_format_reward"


def check(facts: Facts) -> Iterator[Finding]:
    rewards = named(facts)
    with_tags = [name for name in rewards if name.rpartition(".")[2] == NAME]
    if not with_tags:
        raise NotConcerned(f"the run does not use {NAME}")
    if not facts[dataset.kind].conversational:
        raise NotConcerned("the prompts are texts: no template opens a tag")
    if tokenizer_facts(facts)[chat].opens_think:
        alone = len(rewards) == 1
        yield Finding(
            facts.run.place("reward_funcs"),
            f"{NAME} gives 0 to every completion: the chat template already writes <think> into "
            "the prompt, and the reward asks for a completion that begins with it",
            severity=None if alone else "warning",
        )


OPENS = CHATML.replace("assistant\n'", "assistant\n<think>\n'")
assert OPENS != CHATML
ASKS: dict[str, Json] = {**RUN, "reward_funcs": [NAME]}
OPENING = candidate(ASKS, tokenizer_files(chat_template=OPENS), CONFIG)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(OPENING, says="think_format_reward gives 0 to every completion"),
        Bad(
            {**OPENING, "run.json": {**ASKS, "reward_funcs": [NAME, "mine.score"]}},
            says="the chat template already writes <think> into the prompt",
            severity="warning",
        ),
        Good(candidate(ASKS, tokenizer_files(), CONFIG)),
        Good({**OPENING, "run.json": {**ASKS, "reward_funcs": ["mine.score"]}}),
    ),
)
