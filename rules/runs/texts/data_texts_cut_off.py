"""Texts stop inside a word.

The script cuts its texts: a slice (`text[:500]`), or a tokenizer with `truncation=True` and a
`max_length` that is too small. Where the text that was read goes on, the row stops inside a word.
The model learns to stop there, and never sees the ends, which often have the result. No error is
raised.

Remedy: leave out what is too long (`rows.filter`), or raise the limit. Let the trainer cut
(`max_length`), which at least counts tokens.

Versions: any. Only a rehearsal sees it: it looks for the ends of the rows in what the script has
read. Reported are at least four rows, and a tenth. Texts whose rest is in this row or another one,
as where long texts are divided, texts that end with a word, and questions are not reported.

Seen: reproduced with SFT of trl 1.16.0: `row["answer"][:40]` and `tok(text, truncation=True,
max_length=24)`; no row has the end of its answer.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import slip_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "texts cut off"
MESSAGES = {
    WHAT: "{0} of {1} rows stop inside a word, as …{2!r}, where the text that was read goes on "
    "with {3!r}"
}


def check(facts: Facts) -> Iterator[Finding]:
    yield from slip_findings(facts, MESSAGES)


def examples() -> Examples:
    from ..._recorded.rehearsal import slipped, without_slips

    words = ("12", "48", "and so we have ninety ti", "mes four apples")
    says = "12 of 48 rows stop inside a word, as …'and so we have ninety ti', where"
    return slipped(WHAT, words, "train.py:9", says), without_slips()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
