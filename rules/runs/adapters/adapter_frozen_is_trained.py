"""An adapter that was loaded frozen is trained.

`PeftModel.from_pretrained` without `is_trainable=True` loads an adapter that is not to change. The
script asks the model without it, under `with model.disable_adapter():`. Where this ends, PEFT makes
the weights of the adapter trainable. The training then changes them, too, beside what it is meant
to train. There is no error.

Remedy: freeze the weights of the adapter again before the trainer is made, or ask the base model in
a copy of its own.

Versions: peft to 0.21.2 at least; only a rehearsal sees it, and only if the training has other
weights to train: else the adapter is what the script wants to train. A script that makes weights of
adapters trainable itself is left alone.

Seen: peft#3447. Reproduced with SFT of trl 1.16.0 and peft 0.21.2: the norms of a model are trained
beside a frozen adapter, and its `lora_B` is another one after two steps. Without `disable_adapter`
it stays as it was.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "adapter thawed"
MESSAGE = (
    "disable_adapter() at {place} has made an adapter trainable that was loaded frozen: the "
    "training changes {0} of its weights ({1} …)"
)
REMEDY = "set requires_grad of the adapter's weights to False again before the trainer is made"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {WHAT: MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("8", "base_model.model.model.layers.0.self_attn.q_proj.lora_A.default.weight")
    says = "disable_adapter() at train.py:43 has made an adapter trainable that was loaded frozen"
    return mistake(WHAT, words, "train.py:43", says), no_mistake()


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)
