"""The reward model has no head with one label.

GRPO and RLOO load the reward model as a sequence classifier with one label, and use that number as
the reward. A checkpoint of a language model has no such head: it gets a random one, only a line in
the log reports it, and the run trains on noise. A head with two labels does not fit, and loading
fails; so it does if RewardTrainer trains such a model.

Remedy: train a reward model (`trl reward`, one label) and name that, or use reward_funcs.

Versions: every trl with GRPOTrainer, and RLOOTrainer from 0.22.0 on; RewardTrainer's command in
every release.

Seen: reward-bench#137. Reproduced with trl 1.16.0, 0.24.0, 0.19.1 and 0.15.2: a causal checkpoint
trains, "newly initialized: ['score.weight']"; two labels: "size mismatch for score.weight".
`trl reward` on three labels with 1.16.0: "You set `ignore_mismatched_sizes` to `False`".
"""

from collections.abc import Iterator
from typing import Any

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.checkpoint import weights
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.model.heads import SCORES, headless, label_count, labels_place
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run import Model

from ..._recorded import candidate as examples

NEW_RLOO = Version("0.22.0")


def check(facts: Facts) -> Iterator[Finding]:
    model = _scorer(facts)
    if isinstance(model.folder, Unavailable):
        raise model.folder
    view = facts.at(model.folder)
    if model.adapter or view.folder.has("adapter_config.json"):
        raise Unavailable(f"{model.name} is an adapter")
    config, stored = view[model_config], view.get(weights)
    architecture = config.get("architectures", 0)
    if not isinstance(architecture, str):
        raise Unavailable(f"config.json of {model.name} names no architecture")
    evidence = (f"config.json of {model.name}: {architecture}",)
    trained = model.role == "policy"
    if not trained and (missing := headless(architecture, stored)):
        message = f"the reward model {model.name} {missing}: it gets a random one"
        yield Finding(model.place, message, evidence)
    elif architecture.endswith(SCORES) and (count := label_count(config, stored)) != 1:
        message = (
            f"the {'' if trained else 'reward '}model {model.name} has {count} labels: "
            "TRL loads it with one, which fails"
        )
        yield Finding(labels_place(config), message, evidence)


def _scorer(facts: Facts) -> Model:
    """The reward model of a run that uses one, or the model that TRL's command trains as one."""
    trainer, trl = facts.run.trainer, facts.environment.version("trl")
    model = facts.run.models.get("reward")
    policy = facts.run.models.get("policy")
    if not isinstance(trainer, Unavailable) and trainer.name == "reward" and policy:
        if facts.run.by_class:
            raise NotConcerned("the script loads the model itself")
        return policy
    if model is None or not model.name:
        raise NotConcerned("the run names no reward model")
    if isinstance(trainer, Unavailable):
        raise trainer
    if trainer.name not in ("grpo", "rloo"):
        raise NotConcerned(f"only GRPO and RLOO use it, this run is {trainer.name}")
    if trainer.name == "rloo" and trl and trl < NEW_RLOO:
        raise NotConcerned(f"RLOOTrainer of trl {trl} is another class")
    return model


RUN: dict[str, Json] = {**examples.RUN, "reward_model_name_or_path": "reward"}
ONE: dict[str, Json] = {
    "architectures": ["LlamaForSequenceClassification"],
    "model_type": "llama",
    "id2label": {"0": "LABEL_0"},
}
CAUSAL: dict[str, Json] = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}
GOOD: dict[str, Any] = {
    "run.json": RUN,
    "reward/config.json": ONE,
    "reward/model.safetensors": examples.weights(score__weight=(1, 2)),
}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="score",
    examples=(
        Bad(
            {"run.json": RUN, "reward/config.json": CAUSAL},
            says="the reward model reward is a LlamaForCausalLM and has no head `score`: it gets a",
        ),
        Bad(
            {
                **GOOD,
                "reward/config.json": {**ONE, "id2label": {"0": "bad", "1": "good"}},
                "reward/model.safetensors": examples.weights(score__weight=(2, 2)),
            },
            says="the reward model reward has 2 labels",
        ),
        Bad(
            {
                "run.json": {"trainer": "reward", "model_name_or_path": "reward"},
                "reward/config.json": {**ONE, "id2label": {"0": "a", "1": "b", "2": "c"}},
            },
            says="the model reward has 3 labels: TRL loads it with one, which fails",
        ),
        Good(
            {
                "run.json": {"trainer": "reward", "model_name_or_path": "m"},
                "m/config.json": CAUSAL,
            }
        ),
        Good(GOOD),
        Good({**GOOD, "run.json": {**RUN, "trainer": "rloo"}}, versions={"trl": "0.15.2"}),
        Good({"run.json": examples.RUN}),
        Good({"run.json": RUN}, skipped="reward is not"),
    ),
)
