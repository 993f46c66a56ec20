"""The model has a value head that this trainer cannot use.

`AutoModelForCausalLMWithValueHead` wraps a model for the PPOTrainer before trl 0.12. All other
trainers use attributes that the wrapper does not have, and fail: "object has no attribute
'warnings_issued'", 'base_model_prefix' or 'generation_config'.

Remedy: load it with `AutoModelForCausalLM`; PPO's value model with
`AutoModelForSequenceClassification` and `num_labels=1`.

Versions: trl before 1.0; since then `trl` no longer exports the class, and another rule reports
that.

Seen: trl#3257, trl#2718. Reproduced with GRPO of trl 0.15.2, and with PPO of 0.12.2 as its value
model; with the other classes they train.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.model.ppo import FIRST, by_loop
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.script.passed import loaded_as, passed

from ..._recorded.scripts import script

CLASS = "AutoModelForCausalLMWithValueHead"
TESTED = (("grpo", "model"), ("ppo", "value_model"))
ROLES = ("model", "policy", "ref_model", "ref_policy", "value_model", "reward_model")


def check(facts: Facts) -> Iterator[Finding]:
    values, trainer, trl = passed(facts), known_trainer(facts), trl_of(facts)
    old = trl is not None and trl < FIRST
    if (trainer == "ppo" and trl is None) or (trainer in ("ppo", None) and old):
        raise NotConcerned("the PPOTrainer before trl 0.12 uses a value head")
    if trainer == "ppo" and by_loop(facts):
        raise NotConcerned("the script is written for the PPOTrainer before trl 0.12")
    for name in ROLES if trainer == "ppo" else ("model",):
        if loaded_as(values.values.get(name), CLASS) is not None:
            yield Finding(
                values.places[name],
                f"{name} is an {CLASS}: only PPO before trl {FIRST} uses one",
                severity=None if (trainer, name) in TESTED else "warning",
            )


def _model(name: str, home: str) -> str:
    return f"from {home} import {name}\nmodel = {name}.from_pretrained('org/m')\n"


GIVEN = "model=model, reward_funcs='org/r'"
HEAD = _model(CLASS, "trl")
TRL = {"trl": "0.15.2"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="WithValueHead' object has no attribute",
    examples=(
        Bad(
            script("GRPO", GIVEN, before=HEAD),
            "train.py",
            versions=TRL,
            says="only PPO before trl 0.12.0 uses one",
        ),
        Bad(
            script("SFT", "model=model", before=HEAD),
            "train.py",
            versions=TRL,
            says="model is an AutoModelForCausalLMWithValueHead",
            severity="warning",
        ),
        Bad(
            script("PPO", "model='org/m', value_model=model", before=HEAD),
            "train.py",
            versions={"trl": "0.12.2"},
            says="value_model is an AutoModelForCausalLMWithValueHead",
        ),
        Good(
            script("PPO", "model=model, ref_model=None", before=HEAD),
            "train.py",
            versions={"trl": "0.11.4"},
        ),
        Good(
            script("GRPO", GIVEN, before=_model("AutoModelForCausalLM", "transformers")),
            "train.py",
            versions=TRL,
        ),
    ),
)
