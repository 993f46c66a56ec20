"""The reference model is the model that is trained.

One object cannot be both: the reference would change with the policy. The trainer refuses: "`model`
and `ref_model` cannot be the same object".

Remedy: remove `ref_model`, and TRL makes a copy; or load the model a second time.

Versions: every trl.

Seen: trl#5534. Reproduced with DPO with trl 0.12.2 and 1.16.0: both fail with this error when the
trainer is created; without `ref_model` they train.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import passed

from ..._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    if not values.has("ref_model"):
        raise NotConcerned("the run passes no reference model")
    model, reference = values.given("model"), values.given("ref_model")
    if model is reference and not isinstance(getattr(model, "value", None), str):
        yield Finding(
            values.places["ref_model"],
            "ref_model is the object that is trained: the trainer refuses it",
        )


MODEL = (
    "from transformers import AutoModelForCausalLM\n"
    "model = AutoModelForCausalLM.from_pretrained('org/m')\n"
)
OTHER = f"{MODEL}other = AutoModelForCausalLM.from_pretrained('org/m')\n"
TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="be the same object",
    examples=(
        Bad(
            script("DPO", "model=model, ref_model=model", before=MODEL),
            "train.py",
            versions=TRL,
            says="ref_model is the object that is trained",
        ),
        Good(script("DPO", "model=model, ref_model=other", before=OTHER), "train.py", versions=TRL),
        Good(script("DPO", "model=model", before=MODEL), "train.py", versions=TRL),
    ),
)
