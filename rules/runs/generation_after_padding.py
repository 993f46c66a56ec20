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
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Bad, Examples, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    for slip in facts[rehearsal].slips:
        if slip.what == "padded prompts":
            yield Finding(
                facts.run.place(),
                f"{slip.place} generates from prompts that are padded on the right: all but the "
                "longest go on after padding",
                remedy='set tokenizer.padding_side = "left" before',
            )


def examples() -> Examples:
    from trl_doctor.probes.answers.rehearse import Slip

    from .._recorded.rehearsal import FILES, TRL, rehearsed

    slip = Slip("padded prompts", (), "train.py:30")
    return (
        Bad(
            FILES,
            versions=TRL,
            level="rehearsal",
            answers=rehearsed(slips=(slip,)),
            says="train.py:30 generates from prompts that are padded on the right",
        ),
        Good(FILES, versions=TRL, level="rehearsal", answers=rehearsed()),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
