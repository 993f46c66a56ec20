"""Texts stop inside a word or a sentence.

The script cuts its texts: a slice (`text[:500]`), a number of words, or a tokenizer with
`truncation=True` and a `max_length` that is too small. Where the text that was read goes on, the
row stops inside a word, or after as many words or tokens as other rows inside a sentence.
The model learns to stop there, and never sees the ends, which often have the result. No error is
raised.

Remedy: leave out what is too long (`rows.filter`), or raise the limit. Let the trainer cut
(`max_length`), which at least counts tokens.

Versions: any. Only a rehearsal sees it: it looks for the ends of the rows in what the script has
read. Reported are at least four rows, and a tenth, that stop inside a word; or eight, and a fifth,
that stop inside a sentence and have the greatest length of all. Texts whose rest is in this row or
another one, as where long texts are divided, and prompts are not reported.

Seen: reproduced with SFT of trl 1.16.0: `row["answer"][:40]` and `tok(text, truncation=True,
max_length=24)`; no row has the end of its answer. `" ".join(text.split()[:30])`, too.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT, ALIKE = "texts cut off", "texts of one length"
MESSAGES = {
    ALIKE: "{0} of {1} rows stop after {2} inside a sentence, as …{3!r}, where the text that was "
    "read goes on with {4!r}",
    WHAT: "{0} of {1} rows stop inside a word, as …{2!r}, where the text that was read goes on "
    "with {3!r}",
}


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("12", "48", "and so we have ninety ti", "mes four apples")
    says = "12 of 48 rows stop inside a word, as …'and so we have ninety ti', where"
    alike = ("30", "48", "30 words", "and so we have ninety", " times four apples")
    after = (
        "30 of 48 rows stop after 30 words inside a sentence, as …'and so we have ninety', where"
    )
    return (
        mistake(WHAT, words, "train.py:9", says),
        mistake(ALIKE, alike, "train.py:9", after),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
