"""The model is trained with another model's tokenizer.

The script loads weights from one folder and the tokenizer from another, with other ids. Each id
stands for another text than the one that the weights have learnt. If both have about as many
tokens, there is no error: the loss begins near that of a random model.

Remedy: load the tokenizer from the folder of the model.

Versions: every trl. Only a rehearsal sees it, and only if the model's folder has a tokenizer.json.
A new vocabulary for new embeddings is right as it is.

Seen: reproduced with SFT of trl 0.24.0: the model's own tokenizer decodes the rows of the run to
other words.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "the tokenizer is another model's: {0} of {1} tokens have the same id in the tokenizer of the "
    "model's own folder"
)
REMEDY = "load the tokenizer from the folder of the model"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"another vocabulary": MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "12 of 1000 tokens have the same id in the tokenizer of the model's"
    return mistake("another vocabulary", ("12", "1000"), "train.py:30", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
