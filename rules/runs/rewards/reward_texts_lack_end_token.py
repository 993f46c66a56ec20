"""Texts are scored without the end that the rows have.

A reward model, or a classifier, reads its score at the last token of a text. All rows that are
trained end with the eos token, which RewardTrainer adds. The script then calls the trained model
with texts that do not end with it. The scores are read at other tokens, which were never trained:
they differ from those of the training, and an accuracy that is computed from them is wrong. There
is no error.

Remedy: end each text as the rows end: `text + tokenizer.eos_token`. With `truncation=True` leave
room for this token.

Versions: every trl and transformers; the rows that are trained are looked at, not the release. Only
a rehearsal sees it, where the script's own code or a pipeline calls the model. It says nothing if
the script asks for hidden states, or speaks of drafts, of partial texts, or of latency.

Seen: trl#5813. Reproduced with RewardTrainer of trl 1.16.0 and 0.24.0: most scores are others than
in the training; with the eos token all are the same.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "scored without end"
MESSAGES = {
    WHAT: "{place} scores texts that do not end with the eos token, with which all rows of the "
    "training end: the scores are others than in the training"
}


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES, remedy="score text + tokenizer.eos_token")


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "train.py:29 scores texts that do not end with the eos token, with which all rows"
    return mistake(WHAT, (), "train.py:29", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
