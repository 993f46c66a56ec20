"""The saved tokenizer is not the one of the training.

The script saves a tokenizer beside the model that it has trained, after it has loaded the tokenizer
again from the base model, or another one. It lacks tokens that were added, has another eos, or a
chat template that renders a conversation otherwise. A program that loads the folder then gives the
model texts of another form than it has learnt. No error is raised.

Remedy: save the trainer's own tokenizer, `trainer.processing_class.save_pretrained(…)`.
`trainer.save_model(…)` has already done so.

Versions: every trl. Only a rehearsal sees it. Templates that render a conversation in the same way,
as with and without `{% generation %}`, are not reported.

Seen: reproduced with SFT of trl 0.24.0 and 1.16.0: the folder with the trained model has the chat
template of the base model.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "another tokenizer saved"
MESSAGES = {
    WHAT: "the tokenizer that {place} saves beside the model in {0} is not the trainer's: {1}"
}


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("final", "its chat template is another one")
    return (
        mistake(WHAT, words, "train.py:30", "train.py:30 saves beside the model in final"),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
