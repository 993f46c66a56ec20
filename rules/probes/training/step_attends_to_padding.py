"""The model reads padding as if it were text.

A batch has padding before tokens that are learned, and the attention mask is 1 there, or there is
no attention mask: the script pads on the left or between the question and the answer, and its
collator makes a mask by the lengths. The answer is then learned behind padding that generation
never has, and each position is counted from the padding. No error is raised.

Remedy: make the mask with the tokens (`attention_mask` 0 where a token is padding), pad behind the
whole row, or let the trainer's collator pad.

Versions: any. A rehearsal looks at a batch of a short and a long row. Where the same token ends and
pads, fewer than four of them in a row are left alone. Padding behind all tokens that are learned
changes nothing, and is not reported; nor are tokens of this kind inside a text. A mask of
another shape is not judged, nor a batch without one if the script speaks of `attention_mask`.

Seen: GLM#70. Reproduced with SFT of trl 1.16.0 and a collator of the script's own: questions are
padded to 48 tokens before the answer, the mask is 1 there, and the row has another loss than
without the padding.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

READ = {
    "padding attended": (
        "the model reads {0} tokens of padding before an answer in a batch of two rows: the "
        "attention mask does not leave them out"
    )
}
REMEDY = "set attention_mask to 0 where a token is padding, or pad behind the whole row"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, READ, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    return (
        mistake(
            "padding attended",
            ("28",),
            "train.py:30",
            "the model reads 28 tokens of padding before an answer in a batch of two rows",
        ),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
