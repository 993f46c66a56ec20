"""Completions that are too long are paid again.

The reward falls with the length of a completion, down to the limit that the function names, and
rises again after it: `cos(pi * length / max_len)` is 1 at twice `max_len`, as for an empty text.
The model can earn the most with completions that are far too long.

Remedy: limit the length before it is used: `min(length, max_len) / max_len`.

Versions: every trl with GRPOTrainer. The function is called on right answers and on texts that mean
nothing, of a quarter to four times each whole number that it names, in characters and in words.
Functions that read more of a text than its length are not reported, nor lengths that a completion
of `max_completion_length` tokens cannot have.

Seen: open-r1#312. Reproduced with GRPO of trl 0.19.1 and a `max_len` of 24: a right answer of 4
characters gets 0.97, one of 24 gets 0.5, and one of 48 gets 1.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import LONGEST, rewards, weighed, weight
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.rewards import LeastAt

from ..._recorded.rewards import FILES, RUN, TRL, answers, returned

LIMIT = "max_completion_length"
TOKENS = {"tokens": 1.0, "words": 1.5, "characters": 0.5}
"""How many tokens a completion of one word, or of one character, surely has room for."""


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    room = facts.run.number(LIMIT) or LONGEST
    for function in weighed(facts):
        least, times = function.trial.rises_again, weight(facts, function)
        if least is None or not function.counted or (times is not None and times <= 0):
            continue
        if least.number * TOKENS[least.unit] >= room:
            continue
        pairs = list(zip(least.lengths, least.values, strict=True))
        length, value = pairs[-1]
        texts = "right answers" if least.of_right else "completions"
        yield Finding(
            place(facts, function),
            f"{function.name} gives the least to {texts} of {least.number} {least.unit}, and "
            f"longer ones get more again: {value:.4g} for {length} {least.unit}",
            (
                f"rewards by {least.unit}: "
                + ", ".join(f"{length}: {value:.4g}" for length, value in pairs),
                *defined(function),
            ),
            remedy="limit the length before it is used: min(length, limit) / limit",
        )
    refuse_unjudged(answer)


LEAST = LeastAt(24, "characters", (6, 12, 18, 24, 30, 36, 42),
                (0.93, 0.75, 0.57, 0.5, 0.57, 0.75, 0.93), of_right=True)  # fmt: skip
COSINE = replace(returned(), rises_again=LEAST)
IN_TOKENS = replace(COSINE, rises_again=replace(LEAST, number=256, unit="tokens"))
SHORT = {**FILES, "run.json": {**RUN, LIMIT: 12}}
MINUS = {**FILES, "run.json": {**RUN, "reward_weights": [-0.1]}}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(COSINE),
            says="mine.score gives the least to right answers of 24 characters, and longer ones "
            "get more again: 0.93 for 42 characters",
        ),
        Good(SHORT, versions=TRL, answers=answers(COSINE)),
        Good(FILES, versions=TRL, answers=answers(IN_TOKENS)),
        Good(MINUS, versions=TRL, answers=answers(COSINE)),
        Good(FILES, versions=TRL, answers=answers(returned())),
    ),
)
