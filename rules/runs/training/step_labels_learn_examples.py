"""Every row learns the answer of the same example.

Solved examples or earlier turns stand before each question, and the mask of the script has all
turns of the assistant. The answers of the examples are then learned, too, in each row again. They
get a large part of the loss, and the model learns to say them. No error is raised.

Remedy: put the loss on the last answer alone: the mask of all that comes before it is 0, its labels
are -100. With `prompt` and `completion` the examples belong to the prompt.

Versions: any. Only a rehearsal sees it: the first rows, four at least, begin with the same words up
to the end of the first answer that is learned, and learn others behind it. A greeting that begins
each conversation is reported, too.

Seen: NeMo-RL#2176. Reproduced with SFT of trl 1.16.0 and 0.24.0: two answers of the prompt are
learned in each row.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "answer of every row"
MESSAGES = {
    WHAT: "every row learns the same answer {0!r} apart from its own ({1} of {1} rows): an example "
    "that stands before the question has a loss, too"
}


def check(facts: Facts) -> Iterator[Finding]:
    remedy = "mask what comes before the last answer: labels of -100, or a completion_mask of 0"
    yield from mistake_findings(facts, MESSAGES, remedy=remedy)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "every row learns the same answer 'January.' apart from its own (4 of 4 rows)"
    return (mistake(WHAT, ("January.", "4"), "train.py:30", says), no_mistake())


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
