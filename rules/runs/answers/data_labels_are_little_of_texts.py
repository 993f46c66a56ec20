"""The loss is nearly all about the questions.

Each text ends with one of a few short labels, such as "(A)" or "positive", and the trainer learns
the whole texts. The labels are a small part of the tokens: the loss falls because the model learns
the instruction, which is the same in each row, and the questions. It hardly learns which label is
right, and often gives the same one to every question. A `formatting_func` that joins question and
label does this, and so do the columns `text` and `messages`.

Remedy: give rows with the columns `prompt` and `completion`, and no `formatting_func`: the loss is
then about the completion alone. For conversations set `assistant_only_loss: true`.

Versions: every trl, seen in a rehearsal: SFT of rows that all end with a text of a column that has
2 to 8 of them, which are less than 8 % of the characters. Packed rows are not looked at, nor rows
that say which of their tokens are learned, nor data with a column of reasons.

Seen: a thread about SFTTrainer's loss and formatting_func (discuss.huggingface.co, 170499).
Reproduced with SFT of trl 1.16.0: of 24 texts 18 have one label. After 120 steps a small model
that learns whole texts knows 20 of them, and one that learns completions all 24.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGES = {
    "small labels": "the texts end with a label of the column {0} ({1!r}, {2!r}), {3} % of their "
    "characters, and the loss is about the whole texts"
}


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("output_text", "(A)", "(B)", "1.8")
    says = "the texts end with a label of the column output_text ('(A)', '(B)'), 1.8 % of their"
    return mistake("small labels", words, "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
