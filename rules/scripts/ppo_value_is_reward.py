"""The value model of PPO is the reward model.

One object is passed for both. PPO trains the value model together with the
policy, so each step also changes the model that gives the rewards. The scores in the log drift, and
the policy is trained on rewards that nobody meant. There is no error. It is a warning, because some
scripts do it on purpose, to save memory.

Remedy: load the model a second time for `value_model`, with the same `from_pretrained`.

Versions: every trl with PPOTrainer.

Seen: reproduced with PPO of trl 1.12.0: after one step the weights of the reward model's head have
changed; with a model of its own for the values they have not.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.script.passed import passed

from .._recorded.scripts import script


def check(facts: Facts) -> Iterator[Finding]:
    values = passed(facts)
    if not (values.has("value_model") and values.has("reward_model")):
        raise NotConcerned("the run passes no value model beside a reward model")
    value, reward = values.given("value_model"), values.given("reward_model")
    if value is reward and not isinstance(getattr(value, "value", None), str):
        yield Finding(
            values.places["value_model"],
            "value_model is the object that gives the rewards: PPO trains it",
            remedy="load it a second time for value_model",
        )


LOAD = "AutoModelForSequenceClassification.from_pretrained('org/reward', num_labels=1)\n"
MODELS = (
    f"from transformers import AutoModelForSequenceClassification\nreward = {LOAD}value = {LOAD}"
)
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            script("PPO", "model='org/m', reward_model=reward, value_model=reward", before=MODELS),
            "train.py",
            says="value_model is the object that gives the rewards: PPO trains it",
        ),
        Good(
            script("PPO", "model='org/m', reward_model=reward, value_model=value", before=MODELS),
            "train.py",
        ),
        Good(script("PPO", "model='org/m', reward_model=reward", before=MODELS), "train.py"),
    ),
)
