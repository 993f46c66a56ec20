"""A reward function catches its own mistake.

A reward function has a `try` around its work, so that a strange completion does not end the run.
The handler catches every error, also one that has nothing to do with the completion: a column that
the rows lack, a name or a module that is not there, a list of messages that is read as a text. Each
completion then gets the reward of the handler. Nothing is learnt from it, or an evaluation shows
the same figure for ever, and no error is shown.

Remedy: catch only what a completion can cause (`except ValueError`), and correct the line that the
finding names.

Versions: every trl with GRPOTrainer; RLOO from 0.22.0 on. A rehearsal sees it in the calls that the
trainer makes, level `tiny` in calls on the run's own rows: an error that is caught by `except
Exception`, a handler that only tells it, and equal rewards of all completions. Errors that a
completion may cause are left alone.

Seen: maxtext#4140. Reproduced with GRPO of trl 1.16.0: the rows of the evaluation lack the column
`question`, the function looks it up in `**kwargs`, and `eval_reward` is 0 in each evaluation.
"""

from collections.abc import Iterator
from linecache import getline
from pathlib import Path

from trl_doctor.core.finding import Finding, Place, Spot
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings, watched
from trl_doctor.facts.measured.rewards import rewards
from trl_doctor.facts.rule import Bad, Examples, Good, Rule

MESSAGES = {
    "error hidden": "{0} catches its own error at {place} ({1}), and gives {2} to every completion "
    "of a call in the {3}"
}


def check(facts: Facts) -> Iterator[Finding]:
    if watched(facts):
        yield from mistake_findings(facts, MESSAGES)
        return
    run_rewards = facts[rewards]
    if not run_rewards.measured.rows:
        raise Unavailable("the reward functions were called on made rows")
    for reward in run_rewards.functions:
        if reward.trial.hides:
            error, file, line, given = reward.trial.hides
            yield Finding(
                Place(Path(file), spot=Spot(line, 1, getline(file, line).rstrip())),
                f"{reward.name} catches its own error ({error}), and gives {given} to every "
                "completion of a call",
            )


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake
    from ..._recorded.rewards import FILES, TRL, answers, returned

    words = ("score", "KeyError: 'question'", "0", "evaluation")
    says = "score catches its own error at train.py:9 (KeyError: 'question'), and gives 0 to every"
    hides = ("TypeError: the JSON object must be str, …, not list", "/run/mine.py", 4, "0")
    return (
        mistake("error hidden", words, "train.py:9", says),
        no_mistake(),
        Bad(
            FILES,
            versions=TRL,
            answers=answers(returned(hides=hides)),
            says="catches its own error (TypeError: the JSON object must be str, …, not list), and",
        ),
        Good(FILES, versions=TRL, answers=answers(returned())),
        Good(FILES, versions=TRL, answers=answers(returned(hides=hides), rows=0), skipped="made"),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
