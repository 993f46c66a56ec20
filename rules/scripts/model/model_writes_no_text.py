"""The trainer gets a model that cannot write text.

`AutoModel` loads a model without the part that gives a number for each token of the vocabulary, and
`AutoModelForSequenceClassification` one that gives a few classes. SFT, DPO, KTO, GRPO and RLOO
train models that write. The job fails when the trainer is created or in the first step, with an
error that does not name the cause.

Remedy: load the model with `AutoModelForCausalLM`, or pass its name to the trainer.

Versions: any.

Seen: gpt-neox#1142. Reproduced with both classes and all five trainers: trl 1.16.0 fails with
"'LlamaModel' object has no attribute 'generation_config'"; 0.24.0 with "The model did not return a
loss from the inputs" (SFT), "'BaseModelOutputWithPast' object has no attribute 'logits'" (DPO, KTO)
and "'LlamaModel' object has no attribute 'generate'" (GRPO, RLOO). With `AutoModelForCausalLM` all
train.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trainer
from trl_doctor.facts.script.passed import loading_class, passed

from ..._recorded.scripts import script

TRAINED = ("sft", "dpo", "kto", "grpo", "rloo")
LACKS = {
    "AutoModel": "has no head that writes text",
    "AutoModelForSequenceClassification": "gives classes and writes no text",
}


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    if known_trainer(facts) not in TRAINED:
        raise NotConcerned(f"only {', '.join(TRAINED)} train models that write text")
    name = loading_class(values.given("model"))
    if name in LACKS:
        yield Finding(
            values.places["model"],
            f"the model is loaded by {name}, which {LACKS[name]}: {trainer(facts)} fails with it",
            remedy="load it with AutoModelForCausalLM",
        )


def _files(name: str, trainer: str = "SFT") -> dict[str, str]:
    before = f"from transformers import {name}\nmodel = {name}.from_pretrained('org/m')\n"
    return script(trainer, "model=model", before=before)


TRL = {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="has no attribute 'generation_config'|has no attribute 'generate'"
    "|did not return a loss from the inputs|has no attribute 'logits'",
    examples=(
        Bad(_files("AutoModel"), "train.py", versions=TRL, says="has no head that writes text"),
        Bad(
            _files("AutoModelForSequenceClassification", "GRPO"),
            "train.py",
            versions=TRL,
            says="gives classes and writes no text: GRPOTrainer of trl 1.16.0 fails",
        ),
        Good(_files("AutoModelForCausalLM"), "train.py", versions=TRL),
        Good(_files("AutoModelForSequenceClassification", "Reward"), "train.py", versions=TRL),
        Good(script("SFT", "model='org/m'"), "train.py", versions=TRL),
    ),
)
