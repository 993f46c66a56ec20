"""RewardTrainer gets a model that writes text.

A reward model is a sequence classifier with one label. A causal model gives a number for every
token of its vocabulary at every position, and the trainer compares these numbers. It fails if the
two texts of a pair have different lengths. Releases that pad them train on numbers that are not
rewards.

Remedy: load it with `AutoModelForSequenceClassification` and `num_labels=1`, or pass the model's
name to the trainer (not with trl 0.26 to 0.28, which load it with two labels).

Versions: every trl. 1.12.0 and newer refuse the model by its labels.

Seen: trl#3166. Reproduced with such a model: trl 0.12.2, 0.15.2 and 0.19.1 fail with "The size of
tensor a (23) must match the size of tensor b (16)", 0.24.0 trains it, 1.16.0 reports "The model has
`num_labels=2`". With a sequence classifier 0.15.2 trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import loading_class, passed

from .._recorded.scripts import script

WRITES = ("ForCausalLM", "LMHeadModel")


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    if known_trainer(facts) != "reward":
        raise NotConcerned("only RewardTrainer is affected")
    name = loading_class(values.given("model"))
    if name.endswith(WRITES):
        yield Finding(
            values.places["model"],
            f"the model is an {name}, which writes text: RewardTrainer needs one that gives a "
            "number, AutoModelForSequenceClassification with num_labels=1",
        )


def _files(name: str) -> dict[str, str]:
    before = (
        f"from transformers import {name}\nmodel = {name}.from_pretrained('org/m', num_labels=1)\n"
    )
    return script("Reward", "model=model", before=before)


TRL = {"trl": "0.15.2"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="num_labels=1",
    examples=(
        Bad(
            _files("AutoModelForCausalLM"),
            "train.py",
            versions=TRL,
            says="the model is an AutoModelForCausalLM, which writes text",
        ),
        Good(_files("AutoModelForSequenceClassification"), "train.py", versions=TRL),
        Good(script("Reward", "model='org/m'"), "train.py", versions=TRL),
        Good(script("SFT", "model='org/m'"), "train.py", versions=TRL),
    ),
)
