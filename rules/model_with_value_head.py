"""The model has a value head, which only PPO uses.

`AutoModelForCausalLMWithValueHead` wraps a model for PPO. The other trainers set attributes of the
model that the wrapper does not have, and die: "object has no attribute 'warnings_issued'".

Remedy: load it with `AutoModelForCausalLM`.

Versions: trl before 1.0; since then the class is gone from trl's top, and another rule tells it.

Seen: trl#3257. Reproduced with GRPO of trl 0.15.2; with `AutoModelForCausalLM` it trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.passed import loaded_as, passed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens import known_trainer

from ._recorded.scripts import script

CLASS = "AutoModelForCausalLMWithValueHead"
TESTED = "grpo"


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    if known_trainer(facts) == "ppo":
        raise NotConcerned("PPO may use a value head")
    if loaded_as(values.given("model"), CLASS) is not None:
        yield Finding(
            values.places["model"],
            f"the model is an {CLASS}: only PPO trains such a model",
            severity=None if known_trainer(facts) == TESTED else "warning",
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
    examples=(
        Bad(script("GRPO", GIVEN, before=HEAD), "train.py", versions=TRL, says="only PPO trains"),
        Bad(
            script("SFT", "model=model", before=HEAD),
            "train.py",
            versions=TRL,
            says="the model is an AutoModelForCausalLMWithValueHead",
            severity="warning",
        ),
        Good(
            script("GRPO", GIVEN, before=_model("AutoModelForCausalLM", "transformers")),
            "train.py",
            versions=TRL,
        ),
    ),
)
