"""The rows' own system messages are not trained on.

The rows have system messages that differ, and the script makes texts or tokens in which none of
them is left: a function that begins with the first message of the user, or that writes one system
message for all rows. The model learns the answers without what asked for them, and later does not
follow a system message. No error is raised.

Remedy: write each row's own system message into its text, as `tokenizer.apply_chat_template` does.

Versions: any. Only a rehearsal sees it: it looks for the messages that the script has read in its
rows. Rows with one and the same system message are not reported. A script that decides by the role
`system` may leave it out on purpose: it is reported if nearly each row has a message of its own, as
a task is, and all trained rows have one and the same message in its place. A script whose code or
comments say that it replaces, ignores or removes system messages, or that the model has to work
without them, is not reported. Nor are messages that are there in part, or that differ in a date.

Seen: Qwen#1089, gradient-garden#114. Reproduced with SFT of trl 1.16.0 and 0.24.0: the first row
begins with "You are a helpful assistant." and has another system message in its file.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = "the {0} messages of {2} rows are not in what is trained on: the first of them is {1!r}"
REPLACED = (
    "the system messages of {2} rows, which differ, are replaced by one, {3!r}: the first of them "
    "is {1!r}"
)
REMEDY = "write each row's own system message into its text, as apply_chat_template does"


def check(facts: Facts) -> Iterator[Finding]:
    messages = {"system messages lost": MESSAGE, "system messages replaced": REPLACED}
    yield from mistake_findings(facts, messages, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "the system messages of 4 rows are not in what is trained on: the first of them is 'Be"
    words = ("system", "Be brief.", "4")
    replaced = (*words, "You are a gardener.")
    instead = "the system messages of 4 rows, which differ, are replaced by one, 'You are a garde"
    return (
        mistake("system messages lost", words, "train.py:9", says),
        mistake("system messages replaced", replaced, "train.py:9", instead),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
