"""A reward depends on other completions of the call.

A reward belongs to one completion of one prompt. A function that looks rows up by their place in
the batch (`dataset[i]`) compares a completion with the answer to another question. One that returns
the mean of the call gives all completions of a prompt the same, and no weight moves by it. One that
remembers scores by the prompt alone gives all completions of a prompt the score of the first one,
and the advantages of GRPO and RLOO become 0 where it hits. One that remembers scores by the text of
the completion alone gives "Yes" the score that it got for another question. One that sorts its
completions and returns the rewards in that order pays the wrong ones. The log shows rewards that
change from step to step. No error is raised. What is remembered is a warning: it can be meant.

Remedy: return one reward for each completion, in their order. Take the row's own values from the
arguments, `for one, gold in zip(completions, answer)`, and remember scores by prompt and completion
together.

Versions: every trl with GRPOTrainer.

Seen: reproduced with GRPO and RLOO of trl 1.16.0: right answers to the rows 0 to 3 get 2 each in
this order and 0 in the opposite one; a judge that remembers by prompt gives four completions one
score; with GRPO one that remembers by the text gives "4" the score of another question. With GRPO
of trl 0.24.0 and 1.16.0 one that returns the mean of the call: `reward_std` is 0. Functions
that are random, or compare the completions of a call with each other, are not reported: the same
calls are made twice, and only the order is changed. Nor is a list that the function itself fills.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.reward_words import defined, place, refuse_unjudged
from trl_doctor.facts.measured.rewards import Reward, rewards, weighed
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.rewards import FILES, RUN, TRL, answers, returned


def check(facts: Facts) -> Iterator[Finding]:
    answer = facts[rewards]
    for function in weighed(facts):
        if not answer.measured.rows and not function.trial.by_place:
            continue
        if message := _message(function):
            trial = function.trial
            certain = trial.of_place or trial.by_place or trial.of_call or trial.out_of_order
            severity: Severity = "error" if certain else "warning"
            yield Finding(place(facts, function), message, defined(function), severity=severity)
    refuse_unjudged(answer, rows=True)


def _message(function: Reward) -> str:
    if function.trial.out_of_order:
        return (
            f"{function.name} returns its rewards in another order than the completions: two that "
            "change places get the same two rewards"
        )
    if function.trial.of_call:
        together, right, garbage = function.trial.of_call
        return (
            f"{function.name} gives all completions of a call one reward: one and garbage get "
            f"{together:.4g} together, and {right:.4g} and {garbage:.4g} alone"
        )
    if function.trial.by_place:
        return (
            f"{function.name} reads {function.trial.by_place}[…] by the place of a completion in "
            "the call: each call of the trainer has other rows"
        )
    if function.trial.of_place:
        return (
            f"{function.name} gives a completion another reward at another place of the batch: it "
            "does not compare it with the row of its prompt"
        )
    if function.trial.of_earlier:
        return (
            f"{function.name} gives all completions of a prompt the reward of the first one: it "
            "remembers rewards by the prompt"
        )
    if function.trial.of_text:
        return (
            f"{function.name} gives a completion the reward that the same text got for another "
            "row: it remembers rewards by the text"
        )
    return ""


RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=TRL,
            answers=answers(replace(returned(), out_of_order=True)),
            says="mine.score returns its rewards in another order than the completions",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(replace(returned(), of_place=True)),
            says="mine.score gives a completion another reward at another place of the batch",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(replace(returned(), of_call=(0.3, 1.0, -0.4))),
            says="gives all completions of a call one reward: one and garbage get 0.3 together, "
            "and 1 and -0.4 alone",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(replace(returned(), by_place="GOLD")),
            says="mine.score reads GOLD[…] by the place of a completion in the call",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(replace(returned(), of_earlier=True)),
            says="mine.score gives all completions of a prompt the reward of the first one",
            severity="warning",
        ),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(replace(returned(), of_text=True)),
            says="mine.score gives a completion the reward that the same text got for another row",
            severity="warning",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
        Good(
            {**FILES, "run.json": {**RUN, "reward_weights": [0.0]}},
            versions=TRL,
            answers=answers(replace(returned(), of_call=(0.3, 1.0, -0.4))),
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answers(replace(returned(), of_place=True), rows=0),
            skipped="not on this machine",
        ),
    ),
)
