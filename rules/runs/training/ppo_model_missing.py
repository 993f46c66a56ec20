"""PPO lacks its value, reward or reference model.

PPO trains a policy with three more models. If one of them is missing, PPOTrainer does not name it:
it fails with an error about NoneType. TRL's own PPO script does not fail; it uses
EleutherAI/pythia-160m instead.

Remedy: name the models: `sft_model_path` (policy and reference), `reward_model_path`, and
`value_model_name_or_path` for your own script. TRL's script loads the value model from
`reward_model_path`, which is a good start.

Versions: up to trl 0.12.2 "'NoneType' object has no attribute 'modules'" whichever is missing;
from 0.13.0 to 1.12.0 'base_model_prefix' for the value model and 'to' for the reward model, and
a missing reference model is copied from the policy.

Seen: trl#1976, trl#2312, trl#2353, trl#3292. Reproduced: trl 0.12.2, 0.13.0, 0.15.2, 0.16.1,
0.17.0, 0.18.0, 0.24.0, 0.26.0, 0.29.0 and 1.12.0, each model missing in turn;
examples/scripts/ppo/ppo.py of trl 0.23.1 without `reward_model_path` and `sft_model_path`: it
trains pythia-160m and gives no warning.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Json, Put, pointer
from trl_doctor.core.unavailable import Undecided
from trl_doctor.facts import Facts
from trl_doctor.facts.model.ppo import named, own_script, release
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run import ROLE_KEYS, Model, Role

from ..._recorded.scripts import script

COPIES = Version("0.13.0")
"""From this release on a missing reference model becomes a copy of the policy."""
DEFAULT = "EleutherAI/pythia-160m"
ROLES: tuple[Role, ...] = ("value", "reward", "reference")


def check(facts: Facts) -> Iterator[Finding]:
    trl = release(facts)
    for role in ROLES:
        model = named(facts, role)
        if model is not None and not model.name and (text := _dies(role, trl)):
            message = f"the run has no {role} model: PPOTrainer of trl {trl} fails with {text}"
            yield Finding(model.place, message, fix=_fix(facts, role), remedy=_remedy(facts, role))
    if facts.run.by_class:
        yield from _not_passed(facts, trl)
    else:
        yield from _unnamed(facts, trl)
    if undecided := next(
        (candidate.folder for candidate in facts.run.models.values() if _open(candidate)), None
    ):
        assert isinstance(undecided, Undecided)
        raise undecided


def _not_passed(facts: Facts, trl: Version) -> Iterator[Finding]:
    """What the script's own call leaves out, or passes as None; trl is known."""
    values, trl_version = facts.run.script.passed, facts.environment.version("trl")
    if not trl_version or not values or values.rest:
        return
    if "value_model" not in values.values:
        message = f"no value_model is passed, and PPOTrainer of trl {trl} needs one"
        yield Finding(facts.run.place(), message, remedy=_remedy(facts, "value"))
    if trl < COPIES and "ref_policy" in values.values and not values.has("ref_policy"):
        message = (
            f"ref_policy is None: PPOTrainer of trl {trl} fails with {_dies('reference', trl)}"
        )
        remedy = "load the reference model a second time, or install trl 0.13.0 or newer"
        yield Finding(values.places["ref_policy"], message, remedy=remedy)


def _dies(role: Role, trl: Version) -> str:
    if trl < COPIES:
        return "\"AttributeError: 'NoneType' object has no attribute 'modules'\""
    name = {"value": "base_model_prefix", "reward": "to"}.get(role)
    return f"\"AttributeError: 'NoneType' object has no attribute '{name}'\"" if name else ""


def _unnamed(facts: Facts, trl: Version) -> Iterator[Finding]:
    """The models that the run file does not mention."""
    place, reward = facts.run.place(), named(facts, "reward")
    if reward is None:
        message = f"the run names no reward model: TRL's PPO script then scores with {DEFAULT}"
        evidence = (f"reward_model_path is {DEFAULT} by default, and its reward head is random",)
        yield Finding(place, message, evidence, remedy="name it: reward_model_path")
    elif named(facts, "value") is None and not reward.place.pointer.endswith("reward_model_path"):
        message = f"the run names no value model, and PPOTrainer of trl {trl} needs one"
        fix, remedy = _fix(facts, "value"), _remedy(facts, "value")
        yield Finding(place, message, fix=fix, severity="warning", remedy=remedy)
    policy = named(facts, "policy")
    if policy and "sft_model_path" not in facts.run.arguments and not own_script(facts):
        message = f"the run names no sft_model_path: TRL's PPO script then trains {DEFAULT}"
        evidence = ("that script loads only the tokenizer from model_name_or_path",)
        edit = Put(place.file, pointer("sft_model_path"), policy.name)
        fix = Fix(f"set sft_model_path to {policy.name}", (edit,)) if policy.name else None
        yield Finding(policy.place, message, evidence, fix, severity="warning")


def _fix(facts: Facts, role: Role) -> Fix | None:
    """Use a model that the run names elsewhere in place of the missing one."""
    source: Role = "policy" if role == "reference" else "reward"
    replacement, model = named(facts, source), named(facts, role)
    if role == "reward" or replacement is None or not replacement.name or _open(replacement):
        return None
    route = model.place.pointer if model else pointer(ROLE_KEYS[role][0])
    edit = Put(replacement.place.file, route, replacement.name)
    title = f"start the {role} model from the {source} model, {replacement.name}"
    return Fix(title, (edit,), safe=role == "reference")


def _open(model: Model) -> bool:
    return isinstance(model.folder, Undecided)


def _remedy(facts: Facts, role: Role) -> str:
    reward = named(facts, "reward")
    if role == "value" and reward and reward.name and not _open(reward):
        return f"load it from {reward.name} with num_labels=1, as TRL's PPO script does"
    return "name the model, or remove the key" if role == "reference" else "name the model"


RUN: dict[str, Json] = {
    "trainer": "ppo",
    "model_name_or_path": "policy",
    "reward_model_path": "reward",
    "value_model_name_or_path": None,
}
SCRIPT: dict[str, Json] = {
    "model_name_or_path": "policy",
    "sft_model_path": "policy",
    "reward_model_path": "reward",
    "num_ppo_epochs": 4,
    "cliprange_value": 0.2,
}
CALL = "policy='org/m', ref_policy='org/m', reward_model='org/r'"
PINNED = {"trl": "1.12.0", "transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="'NoneType' object has no attribute",
    examples=(
        Bad(
            {"run.json": RUN},
            versions=PINNED,
            says="PPOTrainer of trl 1.12.0 fails with \"AttributeError: 'NoneType' object has no "
            "attribute 'base_model_prefix'\"",
            fixed={"run.json": {**RUN, "value_model_name_or_path": "reward"}},
        ),
        Bad(
            {"run.json": RUN},
            versions={"trl": "0.12.2"},
            says="attribute 'modules'",
            fixed={"run.json": {**RUN, "value_model_name_or_path": "reward"}},
        ),
        Bad(
            {"run.json": {**RUN, "reward_model_path": None, "value_model_path": "value"}},
            versions=PINNED,
            says="the run has no reward model: PPOTrainer of trl 1.12.0 fails with "
            "\"AttributeError: 'NoneType' object has no attribute 'to'\"",
        ),
        Bad(
            {"run.json": {"trainer": "ppo", "model_name_or_path": "policy"}},
            says="scores with EleutherAI/pythia-160m",
        ),
        Bad(
            {"run.json": {key: value for key, value in SCRIPT.items() if key != "sft_model_path"}},
            versions=PINNED,
            says="trains EleutherAI/pythia-160m",
            severity="warning",
            fixed={"run.json": SCRIPT},
        ),
        Bad(
            {"run.json": {**SCRIPT, "ref_model_name_or_path": None}},
            versions={"trl": "0.12.2", "transformers": "4.46.3"},
            says="the run has no reference model",
            fixed={"run.json": {**SCRIPT, "ref_model_name_or_path": "policy"}},
        ),
        Bad(
            script("PPO", CALL),
            "train.py",
            versions={"trl": "0.12.2", "transformers": "4.46.3"},
            says="no value_model is passed, and PPOTrainer of trl 0.12.2 needs one",
        ),
        Bad(
            script(
                "PPO",
                f"{CALL}, value_model='org/r'".replace("ref_policy='org/m'", "ref_policy=None"),
            ),
            "train.py",
            versions={"trl": "0.12.2", "transformers": "4.46.3"},
            says="ref_policy is None: PPOTrainer of trl 0.12.2 fails",
        ),
        Good(
            script("PPO", f"{CALL}, value_model='org/r'"),
            "train.py",
            versions={"trl": "0.12.2", "transformers": "4.46.3"},
        ),
        Good({"run.json": {**SCRIPT, "ref_model_name_or_path": None}}, versions=PINNED),
        Good({"run.json": SCRIPT}, versions=PINNED),
        Good({"run.json": {**RUN, "value_model_name_or_path": "reward"}}),
        Good({"run.json": {**RUN, "trainer": "grpo"}}),
    ),
)
