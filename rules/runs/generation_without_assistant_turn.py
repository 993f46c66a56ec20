"""The script generates, and no answer was begun.

The script renders a question with the chat template and without `add_generation_prompt=True`. The
prompt ends with the user's turn. The model then writes the header of the answer itself, or goes on
with the user's text. What the script computes from such answers, for example exact matches, is too
low. There is no error.

Remedy: `apply_chat_template(messages, add_generation_prompt=True)`.

Versions: every transformers. Only a rehearsal sees it, and only where the script calls `generate`.

Seen: reproduced with SFT of trl 1.16.0: a model that answers half of the questions matches none of
them, because its answers begin with `assistant`.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "{place} generates from prompts that end with the user's turn: the chat template was not asked "
    "to begin the answer"
)
REMEDY = "pass add_generation_prompt=True to apply_chat_template"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"closed prompts": MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from .._recorded.rehearsal import mistake, no_mistake

    says = "train.py:30 generates from prompts that end with the user's turn"
    return mistake("closed prompts", (), "train.py:30", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
