"""A second adapter has replaced the first in its base model.

The second adapter has replaced the first one, or is trained beside what is left of it.
`get_peft_model(base, …)`, and a trainer with a `peft_config`, do not copy `base`: they put the
adapter into it. A second one made of the same `base` replaces the weights of the first adapter of
that name. Where the first one has more layers, its trained weights stay in those, and the second
training begins with them. What the first trainer or model saves or says later is the second
adapter's. `get_peft_model(model, …)` of a model with a trained adapter takes its effect from it:
the model answers as its base model again. So does `get_peft_model(model.get_base_model(), …)` of a
model whose adapter was just loaded: `get_base_model()` does not take the adapter off.

Remedy: load the base model again for the second adapter. To go on with the first one, give its
`PeftModel` to the second trainer, without a `peft_config`; to begin anew, call `model.unload()`
first.

Versions: every peft; only a rehearsal sees it. An adapter that was saved before, and has the same
layers as the second one in a plain base model, is left alone. So is a loaded one that was called,
or whose weights were saved or copied. Its loss is a warning: a script may want to begin anew.

Seen: peft#940. Reproduced with SFT of trl 1.16.0 and peft 0.21.2: of adapters on `q_proj`, `k_proj`
and `v_proj`, and then on `q_proj` and `v_proj`, the second training begins with the trained weights
of `k_proj`; and `first.save_model` writes the weights of the second adapter. lerobot#3459: an
adapter is loaded, and a wrapper makes a new one of `get_base_model()`: the second run begins with
the loss of the first.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGES = {
    "adapter left over": "{place} makes a second adapter in one base model: {0} trained weights of "
    "the first stay beside it, as {1}",
    "adapter replaced": "{place} saves the adapter that has replaced the one of this model: a "
    "second adapter was made in the same base model",
    "adapter covered": "{place} puts a new adapter on a model that has a trained one: its {0} "
    "trained layers have no effect any more, and the model answers as its base model",
}
LOADED = {
    "loaded adapter replaced": "{place} puts a new adapter in the place of one that was loaded and "
    "never used: its {0} trained layers are lost, and the training begins anew",
}
GO_ON = (
    "give the loaded PeftModel to the trainer as it is (is_trainable=True), or merge it before: "
    "merge_and_unload()"
)
LOST = "its 14 trained layers are lost"
REMEDY = "load the base model again for the second adapter"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, MESSAGES, remedy=REMEDY)
    yield from mistake_findings(facts, LOADED, remedy=GO_ON, severity="warning")


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("2", "model.layers.0.self_attn.k_proj")
    says = "2 trained weights of the first stay beside it, as model.layers.0.self_attn.k_proj"
    return (
        mistake("adapter left over", words, "train.py:9", says),
        mistake("adapter replaced", (), "train.py:9", "train.py:9 saves the adapter that has"),
        mistake("adapter covered", ("4",), "train.py:9", "its 4 trained layers have no effect"),
        mistake("loaded adapter replaced", ("14",), "train.py:9", LOST, "warning"),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
