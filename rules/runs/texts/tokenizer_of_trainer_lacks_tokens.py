"""The trainer's tokenizer lacks tokens that the script adds.

The script adds tokens to a tokenizer, and the texts of its rows have them. The trainer gets another
tokenizer, or none: it then loads that of the model's folder. The tokens are split into pieces, and
their new rows of the embeddings never learn. If the changed tokenizer is saved beside the model, it
makes ids of them that the model has never seen. No error is raised.

Remedy: pass the changed tokenizer to the trainer: `processing_class=tokenizer`
(`tokenizer=tokenizer` up to trl 0.11).

Versions: any. Only a rehearsal sees it: it notes what is added to tokenizers that come from the
same folder or id as the trainer's, and looks for it in the rows and in the trainer's tokenizer.
`tokenizer-changes-not-passed` reports what the code alone shows.

Seen: reproduced with SFT of trl 1.16.0 and 0.24.0: a function of the script returns the model and
the tokenizer, and the trainer gets the model.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.plain import listed
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import rehearsal
from trl_doctor.facts.rule import Examples, Rule
from trl_doctor.facts.script.syntax.lost_changes import lost_changes

WHAT = "added tokens unknown"


def check(facts: Facts) -> Iterator[Finding]:
    mistakes = facts[rehearsal].mistakes_of(WHAT)
    shown = facts.get(lost_changes) if mistakes else None
    if shown:
        raise NotConcerned("the script's code shows the same")
    for mistake in mistakes:
        yield Finding(
            facts.run.place(),
            f"the script adds {listed(list(mistake.words))} to a tokenizer, and the trainer has "
            "another one: they are in pieces in its rows",
            remedy="pass the changed tokenizer to the trainer: processing_class=tokenizer",
        )


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "the script adds <think> and </think> to a tokenizer, and the trainer has another one"
    return mistake(WHAT, ("<think>", "</think>"), "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
