"""The weights of an adapter are not loaded.

`PeftModel.from_pretrained` finds no place in the model for any weight of the adapter's folder. PEFT
only warns of "missing adapter keys". The adapter stays as it was made, without effect, and the
model answers as its base model; so does what is merged and saved of it.

Usually the model has an adapter already: it was trained with one, or is the `base_model` of such a
model. The new adapter is then put around the old one, its weights have other names, and the old one
has no effect either. Or the adapter was saved from such a model, or from a model of another class.

Remedy: put the adapter on the plain base model: load that again, or take `model.unload()`. A model
that was just trained has its adapter: `trainer.model.merge_and_unload()` needs no file. A second
adapter beside the first is loaded with `model.load_adapter(folder, adapter_name="second")`.

Versions: every PEFT with LoRA. Only a rehearsal sees it: for adapters that the script itself has
saved, and for any adapter that is put on a model with one.

Seen: peft#868. Reproduced with SFT of trl 1.16.0 and peft 0.21.2: of
`PeftModel.from_pretrained(trainer.model.base_model, folder)`, merged, the logits are those of the
base model.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

LOST = "none of its {1} weights has a place there (as {2}), and the model answers without it"
MESSAGES = {
    "adapter inside adapter": "{place} loads the adapter {0} on a model that has an adapter "
    f"already: {LOST}",
    "adapter without place": "{place} loads the adapter {0} on a model of another form: " + LOST,
}
REMEDY = "put the adapter on the plain base model"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("adapter", "8", "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight")
    says = "none of its 8 weights has a place there"
    return (
        mistake("adapter inside adapter", words, "train.py:30", f"an adapter already: {says}"),
        mistake("adapter without place", words, "train.py:30", f"of another form: {says}"),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
