"""The script generates from prompts padded on the right.

A model that only decodes goes on after the last token of a row. If a batch is padded on the right,
that is padding for all prompts but the longest: their answers are not those of the model. A metric
that the script computes with them is wrong. There is no error, only "right-padding was detected" in
the log.

Remedy: `tokenizer.padding_side = "left"` before the prompts of a batch are tokenized.

Versions: every transformers. Only a rehearsal sees it. What a trainer generates itself is
`tokenizer-pads-on-the-right`.

Seen: reproduced with SFT of trl 1.16.0 and `generate` after it: five of six prompts get other
answers than with padding on the left.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "{place} generates from prompts that are padded on the right: all but the longest go on after "
    "padding"
)
REMEDY = 'set tokenizer.padding_side = "left" before'


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"padded prompts": MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from .._recorded.rehearsal import mistake, no_mistake

    says = "train.py:30 generates from prompts that are padded on the right"
    return mistake("padded prompts", (), "train.py:30", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
