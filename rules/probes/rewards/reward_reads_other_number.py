"""A reward function reads another number than the answer.

The function takes the first or the last number of a completion. The prompt asks for more than a
number: for reasoning before the answer, for an explanation after it; or it is a text with solved
examples, after which a model that is not tuned to chats writes more examples. Then the number that
is read is not the answer. Right completions get what garbage gets, and wrong ones may get the
reward.

Remedy: ask for the answer in a form of its own (`\\boxed{}`, `<answer>`, `####`) and read it there.
After solved examples read the first number, or cut the text where the next example begins; with
vLLM, end completions there: `generation_kwargs={"stop": ["\\n"]}`.

Versions: every trl with GRPOTrainer or RLOOTrainer. Only a rehearsal sees it: it tries each form of
an answer that is paid for with another number beside it, and with the same text without a number.
The last number of a text is usual, and not reported where nothing says that the text goes on.

Seen: CoursIA#13614. Reproduced with GRPO of trl 1.16.0 and 0.24.0: `re.findall(r"\\d+", text)[-1]`
gives "7" the reward, and "7. 4+1=5" nothing.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.plain import excerpt
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import rewards, weighed
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rewards import FILES, TRL, answers, returned

WHY = {
    "before": "another number comes before the right answer, and the prompt asks for reasoning",
    "after": "another number comes after the right answer, and the prompt asks for an explanation",
    "example": "a right answer goes on with another example, as the prompt has them",
}


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in weighed(facts):
        kind, text = function.trial.beside
        if function.counted and kind in WHY:
            yield Finding(
                place(facts, function),
                f"{function.name} gives nothing to {excerpt(text, 120)!r}: {WHY[kind]}",
                ("without the other number the same text is paid for", *defined(function)),
            )
    refuse_unjudged(answer)


LAST = replace(returned(), beside=("example", "7. 4+1=5"))
FIRST = replace(returned(), beside=("before", "There are 3 of them.\nThe answer is 7."))
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(LAST),
            says="mine.score gives nothing to '7. 4+1=5': a right answer goes on with another",
        ),
        Bad(FILES, versions=TRL, answers=answers(FIRST), says="comes before the right answer"),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
