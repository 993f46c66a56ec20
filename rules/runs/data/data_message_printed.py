"""A message is written into a text as a dictionary.

The script, or a chat template, writes a message where its text belongs: `f"Question: {turn}"` for
`turn["content"]`, or a message that is the content of another message. The model then reads and
learns `{'role': 'user', 'content': 'What is it?'}`, with Python's quotes and escapes. Nobody asks
it so later. The same happens to a content in parts, `[{'type': 'text', …}]`, if the template takes
texts only. No error is raised, and the loss falls as usual.

Remedy: write `turn["content"]` into the text, or give the messages to the tokenizer's
`apply_chat_template`. For a template that takes texts only, join the parts first.

Versions: any. Only a rehearsal sees it: nine of ten of the first rows, three at least, have such a
text, and the data that the script has read have none.

Seen: orpo#5. Reproduced with ORPO of trl 0.24.0: each prompt has the dictionary of its question;
with the messages themselves none has.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "messages printed"
MESSAGES = {WHAT: "{0} of {1} rows have a message that is written as a dictionary: {2}"}
REMEDY = 'write the text of the message, as turn["content"], or give the messages to the template'


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("24", "24", "{'role': 'user', 'content': 'What is it?'}")
    says = "24 of 24 rows have a message that is written as a dictionary: {'role': 'user'"
    return mistake(WHAT, words, "train.py:30", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
