"""The labels begin in the middle of a text.

The script masks the first tokens of each row itself, to train on the answer alone. The first token
that is not masked is inside the question, inside the answer, or before both: too many or too few
are masked. A usual reason is a mask as long as the answer in place of the prompt, or as long as the
bare question without its chat template, or a prompt that was tokenized with other special tokens
than the whole row. The model learns parts of questions, or answers
without their beginnings. No error is raised.

Remedy: mask as many tokens as the prompt has: `labels[:len(prompt)] = [-100] * len(prompt)`. Or
give the trainer `prompt` and `completion`: it masks the prompt itself.

Versions: any. Only a rehearsal sees it: it looks for the texts that the script has read in its
rows. Labels that begin behind the same characters in most rows, as behind `####`, are not reported,
nor rows that are masked up to the same part of their length, as their first half, or up to their
last words, nor rows of a script that draws a place in each (`random.randint`).

Seen: reproduced with SFT of trl 0.19.1 and 1.16.0: `labels[:len(answer)] = [-100] * len(answer)`
trains on the end of the question and the answer. With 0.24.0 a mask of `len(tokenizer(question))`
tokens ends inside the system text of the template.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Examples, Rule

WHAT = "labels begin inside texts"
SHOWN = 40
"""Characters shown on each side."""


def check(facts: Facts) -> Iterator[Finding]:
    for mistake in rehearsal(facts).mistakes:
        if mistake.what == WHAT:
            masked, learned = mistake.words
            yield Finding(
                facts.run.place(),
                f"the labels begin inside a text: {masked[-SHOWN:]!r} is masked, and "
                f"{learned[:SHOWN]!r} is trained on",
                remedy="mask as many tokens as the prompt has",
            )


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words, says = ("What is 2", " plus 3? 5"), "'What is 2' is masked, and ' plus 3? 5' is trained"
    return mistake(WHAT, words, "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
