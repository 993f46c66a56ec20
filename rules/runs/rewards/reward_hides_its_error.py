"""A reward function catches its own mistake.

A reward function has a `try` around its work, so that a strange completion does not end the run.
The handler catches every error, also one that has nothing to do with the completion: a column that
the rows lack, a name or a module that is not there, a list of messages that is read as a text. Each
completion then gets the reward of the handler. Nothing is learnt from it, or an evaluation shows
the same figure for ever, and no error is shown.

Remedy: catch only what a completion can cause (`except ValueError`), and correct the line that the
finding names.

Versions: every trl with GRPOTrainer; RLOO from 0.22.0 on. Only a rehearsal sees it, in the calls
that the trainer makes: an error that is caught by `except Exception`, a handler that only tells it,
and equal rewards of all completions. Errors that a completion may cause are left alone.

Seen: maxtext#4140. Reproduced with GRPO of trl 1.16.0: the rows of the evaluation lack the column
`question`, the function looks it up in `**kwargs`, and `eval_reward` is 0 in each evaluation.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGES = {
    "error hidden": "{0} catches its own error at {place} ({1}), and gives {2} to every completion "
    "of a call in the {3}"
}


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("score", "KeyError: 'question'", "0", "evaluation")
    says = "score catches its own error at train.py:9 (KeyError: 'question'), and gives 0 to every"
    return mistake("error hidden", words, "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
