"""A cleaning step deletes characters that answers need.

`text.encode("ascii", "ignore")` turns "Käse" into "Kse"; `re.sub("[^a-zA-Z ]", "", text)` deletes
digits, and the brackets and operators of code; `" ".join(text.split())` takes the indentation from
code. The model learns to write such texts. No error is raised, and the loss falls.

Remedy: leave the texts as they are; tokenizers read every character. Delete only what is known to
be wrong, such as control characters.

Versions: every trl. Only a rehearsal sees it: it compares the texts that the script has read from
JSON, CSV or `datasets` with those that it trains on. A text is found again by its ASCII letters. It
is reported if five texts or more, and nine of ten that had characters of a kind, have none of it
left. Not reported: a text that the data have in both forms, and numbers that became `***` or
`<NUM>`.

Seen: reproduced with SFT of trl 1.16.0: after `encode("ascii", "ignore")` the tokens of the rows
are those of "Kse" and "Gre".
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Examples, Rule

WHAT = "characters deleted"


def check(facts: Facts) -> Iterator[Finding]:
    for mistake in rehearsal(facts).mistakes:
        if mistake.what == WHAT:
            kind, before, after = mistake.words
            yield Finding(
                facts.run.place(),
                f"the texts that are trained on have lost {kind}, which the data have",
                evidence=(f"read: {before!r}", f"trained on: {after!r}"),
            )


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    kind, says = "letters outside of ASCII", "have lost letters outside of ASCII, which the data"
    return mistake(WHAT, (kind, "Der Käse", "Der Kse"), "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
