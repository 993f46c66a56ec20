"""The labels of a row depend on the rows beside it.

A collator of the script pads the rows of a batch to one length, and then sets labels of the
question to -100: as many from the left edge as the question has tokens. With padding on the left
the padding is there, and the end of the question is learned in all rows but the longest. The other
way round, labels of the answer get lost. No error is raised, and the loss looks right.

Remedy: count from where the row begins, `attention_mask[i].argmax()`, or mask the labels of each
row before the rows are padded.

Versions: any. Only a rehearsal sees it: it gives a collator of the script the first rows alone, and
all of them together. Collators of the libraries, packed rows, and collators that make other rows
each time are not judged.

Seen: Qwen3-ASR#212. Reproduced with SFT of trl 1.16.0 and 0.24.0 and a tokenizer that pads on the
left: the labels of a batch have the ends of questions.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "labels of a batch"
MESSAGES = {
    WHAT: "the collator gives {0} of {1} rows other labels in a batch than alone: {3} tokens are "
    "learned ({2!r})"
}


def check(facts: Facts) -> Iterator[Finding]:
    remedy = (
        "where rows are padded on the left, count the tokens of the prompt from the first token of "
        "the row, not from the left edge"
    )
    yield from mistake_findings(facts, MESSAGES, remedy=remedy)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "gives 3 of 4 rows other labels in a batch than alone: more tokens are learned ('six?')"
    return (mistake(WHAT, ("3", "4", "six?", "more"), "train.py:30", says), no_mistake())


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
