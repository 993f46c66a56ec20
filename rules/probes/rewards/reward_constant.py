"""Right answers and garbage get the same reward.

GRPO and RLOO learn from differences between the completions of a prompt. A function that gives all
of them the same reward adds nothing: without another reward the loss is 0, no weight moves, and the
run ends without an error. Often the function looks for something that completions never contain:
another tag, a string in place of a list of messages, a length beyond max_completion_length. Or it
compares the answer with a cell that has a space at its end, or another type. It is an error where
the function pays as soon as this is changed. It is one, too, where the reward depends on nothing
but the number of completions in the call: `len(completions)` in place of `len(completion)`.

Remedy: call the function on a completion that deserves a reward, and see what it looks for. If it
cannot give a reward in this run, remove it from reward_funcs.

Versions: every trl with GRPOTrainer. If no such cause is found, it is a warning for a function that
takes the column of right answers, or pays all completions more than 0, and a note for any other
one: it may wait for a word, a language or a step that nothing tried here has, or for the letter of
an option. A function whose weight is 0 is left out.

Seen: trl#3857, trl#3452, VisTA#3. Reproduced with trl 1.16.0, 0.24.0, 0.19.1 and 0.15.2: loss 0.0,
grad_norm 0.0, reward_std 0.0, weights unmoved; the same if all rewards are None. If all are NaN,
the rule reward-not-finite reports it. With 1.16.0 also `-len(completions)`: a short and a long
completion get one reward.
"""

import math
from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, form, kinds, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import Reward, rewards, weighed, weight
from trl_doctor.facts.rows.options import asks_for_letter
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.rewards import FILES, TRL, answers, returned

CAUSES = {
    "texts": (
        "a completion is a list of messages, and it looks for a text",
        'look at the text of a completion: completion[-1]["content"]',
    ),
    "stripped": (
        "the right answers in the column {gold} begin or end with a space",
        "take the spaces away where the script makes this column: write .strip() there",
    ),
    "as texts": (
        "the right answers in the column {gold} are numbers, and it compares them with texts",
        "compare both as texts, str(…), or both as numbers",
    ),
    "as numbers": (
        "the right answers in the column {gold} are texts, and it compares them with numbers",
        "compare both as numbers, float(…), or both as texts",
    ),
}
"""What keeps a function from paying, by the change with which it pays; and what to do."""

UNKNOWN = "perhaps none of those that were tried is what it waits for"
"""What is said of a function that takes no right answers."""


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in weighed(facts):
        if answer.measured.rows and (counts := _by_count(function)):
            yield Finding(
                place(facts, function),
                f"{function.name} gives all completions of a call one reward, {counts}: it depends "
                "on how many they are, not on what they say",
                defined(function),
                follows=("reward-hides-its-error",),
                remedy="score each completion by itself: len(completion), not len(completions)",
            )
            continue
        value = _value(function)
        if value is None or not answer.measured.rows or weight(facts, function) == 0:
            continue
        tried = kinds(function.values)
        cause, remedy = CAUSES.get(function.trial.pays_if, ("", ""))
        gold = answer.measured.gold or ""
        right = function.trial.reads_gold and not _asks_for_letters(facts)
        clear = right or _pays(value)  # what pays all does not wait for anything
        seen = "right answers, garbage and nothing" if clear else UNKNOWN
        yield Finding(
            place(facts, function),
            f"{function.name} gives {value} to every completion: "
            + (cause.format(gold=gold) or seen),
            (
                *defined(function),
                *form(facts),
                f"tested on {answer.measured.rows} rows of the run: {tried}",
            ),
            follows=("reward-hides-its-error",),
            remedy=remedy,
            severity=None if cause else "warning" if clear else "note",
        )
    refuse_unjudged(answer, rows=True)


def _value(function: Reward) -> str | None:
    """The only reward that it gives, in words; None if there are several."""
    trial = function.trial
    if not function.counted or trial.of_earlier or trial.of_call or trial.asks_for:
        return None  # reward-depends-on-call and reward-misses-opened-tag tell why
    if trial.paid_with_ends:
        return None  # reward-wants-whole-solution tells it
    if trial.misses_lines or trial.takes or trial.of_end:
        return None  # reward-misses-lines; columns with the answers; ids without their end
    numbers = {value for values in function.values.values() for value in values}
    numbers |= {*trial.of_length, *trial.of_repetition, *trial.of_variety}
    texts = {"None" if math.isnan(value) else f"{value:g}" for value in numbers}
    if not any(map(math.isfinite, numbers)) and not trial.none:
        return None  # NaN or infinite: reward-not-finite tells it
    return texts.pop() if len(texts) == 1 else None


def _pays(value: str) -> bool:
    return value != "None" and float(value) > 0


def _asks_for_letters(facts: Facts) -> bool:
    """Whether a right answer is a letter, which the rows may have in no column."""
    rows = facts.get(own_rows) or []
    return any(asks_for_letter(row.get("prompt")) for row in rows[:1])


def _by_count(function: Reward) -> str:
    """The one reward of a whole call and that of a call with one completion, if these differ."""
    trial = function.trial
    whole = {value for values in function.values.values() for value in values}
    alone = {*trial.of_length, *trial.of_repetition}
    if not function.counted or len(whole) != 1 or len(alone) != 1 or whole == alone:
        return ""
    others = {*trial.of_variety} - alone  # the last call of this series has three completions
    if trial.of_earlier or trial.of_call or trial.takes or len(others) > 1 or not trial.of_variety:
        return ""
    if len(function.values) < 2 or not all(map(math.isfinite, whole | alone)):
        return ""
    return (
        f"{whole.pop():g} where there are {trial.expected} and {alone.pop():g} where there is one"
    )


UNWEIGHTED = candidate({**RUN, "reward_weights": [0.0]}, TOKENIZER, CONFIG)
COUNTS: dict[str, Any] = {
    "of_length": (-0.01,) * 5,
    "of_repetition": (-0.01,) * 3,
    "of_variety": (*(-0.01,) * 9, *(-0.03,) * 3),
}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(returned(gold=0.0)),
            says="mine.score gives 0 to every completion: right answers, garbage and nothing",
            severity="warning",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(returned(gold=0.0, reads_gold=False)),
            says="mine.score gives 0 to every completion: perhaps none of those that were tried is",
            severity="note",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(returned(1.0, 1.0, reads_gold=False)),
            says="mine.score gives 1 to every completion: right answers, garbage and nothing",
            severity="warning",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(returned(gold=math.nan, garbage=math.nan, none=6)),
            says="mine.score gives None to every completion",
            severity="warning",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(returned(gold=0.0, pays_if="stripped")),
            says="gives 0 to every completion: the right answers in the column solution begin",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(returned(gold=0.0, pays_if="texts")),
            says="a completion is a list of messages, and it looks for a text",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(returned(-0.08, -0.08, **COUNTS)),
            says="one reward, -0.08 where there are 8 and -0.01 where there is one: it depends on",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answers(returned(-0.08, -0.08, **COUNTS | {"of_variety": (-1, -2, -3)})),
        ),
        Good(FILES, versions=TRL, answers=answers(returned(gold=math.nan, garbage=math.nan))),
        Good(FILES, versions=TRL, answers=answers(returned(gold=math.inf, garbage=math.inf))),
        Good(FILES, versions=TRL, answers=answers(returned())),
        Good(UNWEIGHTED, versions=TRL, answers=answers(returned(gold=0.0))),
        Good(FILES, versions=TRL, answers=answers(returned(gold=0.0, asks_for="think"))),
        Good(FILES, versions=TRL, answers=answers(returned(gold=0.0, takes=("rule",)))),
        Good(FILES, versions=TRL, answers=answers(returned(gold=0.0, of_end=True))),
        Good(FILES, versions=TRL, answers=answers(returned(gold=0.0, misses_lines=True))),
        Good(FILES, versions=TRL, answers=answers(returned(gold=0.0, of_variety=(0.0, 0.5)))),
        Good(
            FILES,
            versions=TRL,
            answers=answers(returned(gold=0.0), rows=0),
            skipped="not on this machine",
        ),
    ),
)
