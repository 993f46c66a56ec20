"""The reward model is loaded with more than one label.

`AutoModelForSequenceClassification` has two labels by default, but a reward is one number. Newer
releases of RewardTrainer refuse the model; older ones train both scores, and the saved model cannot
be used as a reward model. PPO fails in its first step if its reward model or its value model has
two labels.

Remedy: use `AutoModelForSequenceClassification.from_pretrained(…, num_labels=1)`, or pass the
model's name to the trainer (not with trl 0.26 to 0.28, which load it with two labels).

Versions: RewardTrainer of trl 1.12.0 to 1.16.0 refuses it; 0.12.2 and 0.24.0 train two scores. PPO
from trl 0.12.0 on.

Seen: trl#5087, trl#5066, trl#3269. Reproduced with the reward trainer on such a model: trl 1.16.0
names `num_labels` and fails, 0.12.2 and 0.24.0 train. With `num_labels=1` all three train. PPO of
trl 0.12.2: "The size of tensor a (8) must match the size of tensor b (2)"; with it, it trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.model.ppo import release
from trl_doctor.facts.passed import Passed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run import Role
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import loaded_as, passed, whole_number

from .._recorded.scripts import script

KEY, LOADER, USUAL = "num_labels", "AutoModelForSequenceClassification", 2
ROLES: tuple[Role, ...] = ("reward", "value")


def check(facts: Facts) -> Iterator[Finding]:
    values, trainer = passed(facts), known_trainer(facts)
    if trainer == "ppo":
        release(facts)
        for role in ROLES:
            yield from _loaded(values, f"{role}_model", _of_role(facts, role))
    elif trainer == "reward":
        yield from _loaded(values, "model", _scores(facts.at(facts.run.policy)) or USUAL)
    else:
        raise NotConcerned("only RewardTrainer and PPO are affected")


def _of_role(facts: Facts, role: Role) -> int | None:
    """The number of scores of a model of PPO by its config.json; None if that is not here."""
    model = facts.run.models.get(role)
    if model is None or isinstance(model.folder, Unavailable):
        return None
    return _scores(facts.at(model.folder))


def _scores(view: Facts) -> int | None:
    config = view.get(model_config)
    labels = config.get("id2label") if config else None
    return len(labels) if isinstance(labels, dict) else USUAL if config else None


def _loaded(values: Passed, name: str, scores: int | None) -> Iterator[Finding]:
    call = loaded_as(values.values.get(name), LOADER)
    if call is None or call.rest is not None:
        return
    labels, how = whole_number(call.argument(KEY)), f"without {KEY}=1"
    if labels is not None:
        scores, how = labels, f"with {KEY}={labels}"
    elif call.argument(KEY) is not None or call.argument("config") is not None:
        return
    if scores not in (None, 1):
        yield Finding(
            values.places[name],
            f"{LOADER} is loaded {how}: it returns {scores} scores, but a reward is one number",
        )


MODEL = f"from transformers import {LOADER} as A\nmodel = A.from_pretrained('m'{{}})\n"
TRL = {"trl": "1.16.0"}
ONE = {"m/config.json": {"model_type": "llama", "id2label": {"0": "good"}}}
TWO = {"m/config.json": {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}}
VALUED = "model='m', value_model=model"
OLD = {"trl": "0.12.2"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="num_labels=1",
    examples=(
        Bad(
            script("Reward", "model=model", before=MODEL.format("")),
            "train.py",
            versions=TRL,
            says="is loaded without num_labels=1: it returns 2 scores",
        ),
        Bad(
            script("Reward", "model=model", before=MODEL.format(", num_labels=2")) | ONE,
            "train.py",
            versions=TRL,
            says="is loaded with num_labels=2: it returns 2 scores",
        ),
        Good(
            script("Reward", "model=model", before=MODEL.format(", num_labels=1")),
            "train.py",
            versions=TRL,
        ),
        Good(
            script("Reward", "model=model", before=MODEL.format("")) | ONE, "train.py", versions=TRL
        ),
        Good(script("Reward", "model='m'"), "train.py", versions=TRL),
        Bad(
            script("PPO", VALUED, before=MODEL.format("")) | TWO,
            "train.py",
            versions=OLD,
            says="is loaded without num_labels=1: it returns 2 scores",
        ),
        Good(
            script("PPO", VALUED, before=MODEL.format(", num_labels=1")) | TWO,
            "train.py",
            versions=OLD,
        ),
        Good(script("PPO", VALUED, before=MODEL.format("")) | ONE, "train.py", versions=OLD),
        Good(script("PPO", VALUED, before=MODEL.format("")), "train.py", versions=OLD),
    ),
)
