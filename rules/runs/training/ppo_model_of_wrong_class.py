"""PPO's reward or value model has no head with one label.

PPOTrainer needs one number for each token from both models, from their head `score`. A checkpoint
without that head gets a random one, and only a line in the log reports it: PPO then trains on
noise. With two labels, or with another head, the run fails at the first step, after generation.

Remedy: train a reward model (`trl reward`, one label) and name that. A value model may start from
the same checkpoint. Reward functions are for GRPO and RLOO.

Versions: every trl with this PPOTrainer, 0.12.0 to 1.12.0.

Seen: trl#2273, trl#1977. Reproduced with trl 0.12.2, 0.15.2, 0.24.0 and 1.12.0: a causal checkpoint
as reward model gets a different head at each load, and trains; two labels: "output with shape [2]
doesn't match the broadcast shape [2, 2]"; a BERT: "no attribute 'score'"; a function: "'function'
object has no attribute 'modules'".
"""

from collections.abc import Iterator
from typing import Any

from trl_doctor.core.finding import Finding, Fix, Json, Put, Severity
from trl_doctor.core.unavailable import Unavailable, several
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Folder
from trl_doctor.facts.model.checkpoint import weights
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.model.heads import SCORES, headless, label_count, labels_place, lacks
from trl_doctor.facts.model.ppo import named, release
from trl_doctor.facts.passed import Passed
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run import Model, Role
from trl_doctor.facts.script.passed import function, plain_module

from ..._recorded import candidate as examples
from ..._recorded.scripts import script

ROLES: tuple[Role, ...] = ("reward", "value")


def check(facts: Facts) -> Iterator[Finding]:
    release(facts)
    if "reward_funcs" in facts.run.arguments:
        message = "PPOTrainer does not use reward functions (reward_funcs), only a reward model"
        yield Finding(facts.run.place("reward_funcs"), message)
    if facts.run.script.passed:
        yield from _own(facts.run.script.passed)
    open_, judged = list[str](), set[Folder]()
    for role in ROLES:
        model = named(facts, role)
        if model is None or not model.name:
            continue
        try:
            if isinstance(model.folder, Unavailable):
                raise model.folder
            if model.folder not in judged:
                judged.add(model.folder)
                yield from _judged(facts, facts.at(model.folder), model)
        except Unavailable as reason:
            open_.append(f"{role} model: {reason}")
    if open_:
        raise several(open_)


def _own(values: Passed) -> Iterator[Finding]:
    """Functions and plain modules of the script, which lack what models of transformers have."""
    for role in ROLES:
        name, value = f"{role}_model", values.values.get(f"{role}_model")
        if (scorer := function(value)) is not None:
            message = f"the {role} model is a function ({scorer.name}): PPOTrainer needs a model"
            yield Finding(values.places[name], message)
        if name_of_class := plain_module(value):
            message = (
                f"the {role} model is of {name_of_class}, a plain module: PPOTrainer needs a "
                "model of transformers, with base_model_prefix and score"
            )
            yield Finding(values.places[name], message)


def _judged(facts: Facts, view: Facts, model: Model) -> Iterator[Finding]:
    if model.adapter or view.folder.has("adapter_config.json"):
        raise Unavailable(f"{model.name} is an adapter")
    config, stored = view[model_config], view.get(weights)
    architecture = config.get("architectures", 0)
    if not isinstance(architecture, str):
        raise Unavailable(f"config.json of {model.name} names no architecture")
    role, evidence = model.role, (f"config.json of {model.name}: {architecture}",)
    if missing := headless(architecture, stored):
        message = f"the {role} model {model.name} {missing}: it gets a random one"
        fix = _fix(facts, model)
        mild: Severity | None = "warning" if role == "value" else None
        yield Finding(model.place, message, evidence, fix, mild)
    elif architecture.endswith(SCORES) and lacks(stored, "score.weight"):
        message = (
            f"the {role} model {model.name} has no `score`: PPOTrainer fails in its first step"
        )
        yield Finding(model.place, message, evidence)
    elif architecture.endswith(SCORES) and (count := label_count(config, stored)) != 1:
        message = f"the {role} model {model.name} has {count} labels; PPO needs exactly one"
        yield Finding(labels_place(config), message, evidence)


def _fix(facts: Facts, model: Model) -> Fix | None:
    """Start the value model from the reward model, as TRL's PPO script does."""
    reward = named(facts, "reward")
    if (
        model.role != "value"
        or reward is None
        or isinstance(reward.folder, Unavailable)
        or reward.name == model.name
    ):
        return None
    edit = Put(model.place.file, model.place.pointer, reward.name)
    return Fix(f"start the value model from the reward model, {reward.name}", (edit,), safe=False)


RUN: dict[str, Json] = {
    "trainer": "ppo",
    "sft_model_path": "policy",
    "reward_model_path": "reward",
    "value_model_path": "reward",
}
ONE: dict[str, Json] = {
    "architectures": ["LlamaForSequenceClassification"],
    "model_type": "llama",
    "id2label": {"0": "LABEL_0"},
}
CAUSAL: dict[str, Json] = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}
ROWS = examples.weights(lm_head__weight=(8, 2))
GOOD: dict[str, Any] = {
    "run.json": RUN,
    "reward/config.json": ONE,
    "reward/model.safetensors": examples.weights(score__weight=(1, 2)),
}
VALUE: dict[str, Any] = {
    "run.json": {**RUN, "value_model_path": "value"},
    "value/config.json": CAUSAL,
}
OWN = "import torch\nclass Own(torch.nn.Module):\n    pass\n"
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="attribute '(score|modules)'|broadcast shape",
    examples=(
        Bad(
            {"run.json": RUN, "reward/config.json": CAUSAL, "reward/model.safetensors": ROWS},
            says="the reward model reward has no head `score`: it gets a random one",
        ),
        Bad(
            {
                **GOOD,
                "reward/config.json": {**ONE, "id2label": {"0": "a", "1": "b"}},
                "reward/model.safetensors": examples.weights(score__weight=(2, 2)),
            },
            says="has 2 labels; PPO needs exactly one",
        ),
        Bad(
            {**GOOD, "reward/model.safetensors": examples.weights(classifier__weight=(1, 2))},
            says="has no `score`: PPOTrainer fails in its first step",
        ),
        Bad(
            {**GOOD, "reward/model.safetensors": examples.weights(v_head__summary__weight=(1, 2))},
            says="was saved with a value head (v_head)",
        ),
        Bad(
            {**GOOD, **VALUE},
            says="the value model value is a LlamaForCausalLM and has no head `score`",
            severity="warning",
            fixed={"run.json": RUN},
        ),
        Bad(
            {**GOOD, "run.json": {**RUN, "reward_funcs": ["f"]}},
            says="does not use reward functions",
        ),
        Bad(
            script(
                "PPO", "model='m', reward_model=score", before="def score(texts): return [1.0]\n"
            ),
            "train.py",
            versions={"trl": "0.12.2"},
            says="the reward model is a function (score): PPOTrainer needs a model",
        ),
        Bad(
            script("PPO", "model='m', reward_model=Own()", before=OWN),
            "train.py",
            versions={"trl": "1.12.0"},
            says="the reward model is of Own, a plain module: PPOTrainer needs a model of",
        ),
        Good(GOOD),
        Good({"run.json": RUN, "reward/config.json": ONE}),
        Good({"run.json": RUN}, skipped="reward model: reward is not"),
        Good({**GOOD, "reward/config.json": CAUSAL}),
    ),
)
