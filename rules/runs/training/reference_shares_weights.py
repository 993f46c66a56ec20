"""The reference, or the teacher, is the model that is trained.

`get_peft_model(base, …)` does not copy `base`: it puts the adapter into it. `base` and what
`get_peft_model` returns are then one model, and `ref_model=base` is the policy itself, with its
adapter. Each training step changes the reference as well: the difference to it is always 0, so
nothing keeps the policy near the model that it began with. A teacher of that kind teaches its
student nothing.

Remedy: leave `ref_model` out: TRL turns the adapter off for the reference. For a teacher, or a
reference of another kind, load the model a second time.

Versions: every trl; only a rehearsal sees it. Weights that are shared and not trained are
fine. A model of a class that the script has written is left alone: it may turn the adapter off.

Seen: peft#940. Reproduced with DPO and KTO of trl 1.16.0: the first step ends with "'NoneType'
object is not subscriptable"; without `ref_model`, and with a base model that was loaded again, the
run ends.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

MESSAGE = (
    "{0} has {1} of the weights that are trained, as {2}: it is the policy itself and changes "
    "with it"
)
REMEDY = "load that model a second time; for ref_model beside an adapter, leave it out"


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"weights shared": MESSAGE}, remedy=REMEDY)


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    words = ("ref_model", "28", "model.layers.0.self_attn.q_proj.lora_A.default.weight")
    says = "ref_model has 28 of the weights that are trained, as model.layers.0.self_attn.q_proj"
    return mistake("weights shared", words, "train.py:30", says), no_mistake()


RULE = Rule(doc=__doc__, severity="error", check=check, examples=examples)
