"""The script asks the model as it was before the training.

After the training the script loads the base model again, for an evaluation or for some answers, and
nothing puts the adapter, or the trained weights, into it. The figures are those of the base model:
before and after are the same, and the training seems to have done nothing. There is no error.

Remedy: `model = PeftModel.from_pretrained(model, adapter_folder)`, or ask `trainer.model`; of a run
without an adapter load the folder that the trainer has saved.

Versions: any. Only a rehearsal sees it: a model is called after the training that was loaded under
the same name and has the weights from before, and nothing asks a trained one: neither the trainer's
model, nor one with an adapter, nor one with other weights. A script that compares both is not
reported.

Seen: QeRL#20, where an engine gets no adapter. Reproduced with GRPO of trl 1.16.0 and SFT of 0.19.1
and 1.16.0: the answers before and after the training are the same.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "base asked"
MESSAGES = {
    WHAT: "{place} asks the base model after the training, and nothing asks the trained one: no "
    "adapter and no trained weights are loaded into it"
}


def check(facts: Facts) -> Iterator[Finding]:
    remedy = "load the adapter with PeftModel.from_pretrained, or the folder that was saved"
    yield from mistake_findings(facts, MESSAGES, remedy=remedy)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "train.py:52 asks the base model after the training, and nothing asks the trained one"
    return (mistake(WHAT, (), "train.py:52", says), no_mistake())


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
