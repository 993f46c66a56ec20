"""The trained model is compared with itself.

The script asks two models the same, to compare the base model with what was trained. But
`get_peft_model(base, …)`, and a trainer with a `peft_config`, put the adapter into `base`: both
names mean one model with its adapter, and both answers are always the same.

Remedy: ask the base model under `with model.disable_adapter():`, or load it a second time.

Versions: every peft; only a rehearsal sees it: the script's own code gives the same tokens to the
model and to the module that its adapter was put into, with the same weights, which were trained
before. It generates from both, or calls both, also in a loss of its own. A call that asks for
hidden states is not compared with one that does not.

Seen: peft#940. Reproduced with SFT of trl 1.16.0 and peft 0.21.2: `base.generate` and
`trainer.model.generate` give the same answer, and `disable_adapter` another one. A distance to the
base model in a `compute_loss` of the script's own is 0 at every step.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "{place} gives the same tokens to the trained model and to the base model that its adapter was "
    "put into: it is one model, and both answers are the same"
)
REMEDY = "ask the base model under model.disable_adapter(), or load it a second time"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"compared with itself": MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "train.py:9 gives the same tokens to the trained model and to the base model"
    return mistake("compared with itself", (), "train.py:9", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
