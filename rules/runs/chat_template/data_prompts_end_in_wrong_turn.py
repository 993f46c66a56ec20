"""The prompts end in the wrong turn.

A trainer that generates gives a prompt that is a text to the model as it is. The prompts have the
chat template's own marks, but end with the user's turn: the model has to write the header of its
answer first, which rewards then read, or it goes on with the user's text. Or they have an answer
and begin another one behind it, which no user of the model ever asks for. No error is raised.

Remedy: render the turns up to the user's last one, with `add_generation_prompt=True`. Or give the
messages as they are: the trainer renders them.

Versions: every trl with GRPO, RLOO or OnlineDPO. Only a rehearsal sees it.

Seen: reproduced with GRPO of trl 1.16.0: what the model is asked to continue has no
`<|im_start|>assistant`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

OPEN = (
    "{1} of {2} prompts end with the user's turn, as {0!r}: the chat template was not asked to "
    "begin the answer"
)
TWICE = "{1} of {2} prompts have an answer already and begin another one, as {0!r}"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"prompts not begun": OPEN, "prompts begun twice": TWICE})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("2 and 2?<|im_end|>", "32", "32")
    says = "32 of 32 prompts end with the user's turn, as '2 and 2?<|im_end|>': the chat template"
    twice = ("is 4.<|im_end|>\n<|im_start|>assistant", "32", "32")
    return (
        mistake("prompts not begun", words, "train.py:7", says),
        mistake("prompts begun twice", twice, "train.py:7", "have an answer already and begin"),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
