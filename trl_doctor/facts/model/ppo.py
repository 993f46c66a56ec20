"""Shared by the rules about PPO: the release, and the models that the run names."""

import math

from packaging.version import Version

from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.library import releases
from trl_doctor.facts.passed import Passed
from trl_doctor.facts.run import OWN_KEYS, Model, Role

FIRST, LAST = Version("0.12.0"), Version("1.12.0")
"""The releases of trl that have this PPOTrainer."""

SCRIPT_KEYS = frozenset({"model_name_or_path", "sft_model_path", "reward_model_path"})
"""The keys of `OWN_KEYS` that TRL's own PPO script accepts."""

SIZES = {"per_device_train_batch_size": 8.0, "gradient_accumulation_steps": 1.0}
"""The arguments whose product is the batch of a process, with their defaults."""

PARTS, SPLITS = "num_mini_batches", Version("0.17.0")
"""The number of mini-batches: from this trl on it splits the batch, before it multiplies it."""


def process_batch(facts: Facts, trl: Version) -> int:
    """The rows that a process takes at once."""
    factors = [*SIZES.items(), *([(PARTS, 1.0)] if trl < SPLITS else [])]
    return math.prod(int(facts.run.number(name, usual) or usual) for name, usual in factors)


GONE = ("generate", "step", "log_stats", "batched_forward_pass", "save_pretrained")
"""Methods that the PPOTrainer of trl 0.11.4 and before has, and no later one."""


def of_loop(facts: Facts) -> tuple[str, ...]:
    """The methods of the old PPOTrainer that a script calls, in the order of `GONE`."""
    passed = facts.run.script.passed
    called = {deed.name for deed in passed.deeds} - {*passed.methods} if passed else set[str]()
    return tuple(name for name in GONE if name in called)


def by_loop(facts: Facts) -> bool:
    """Whether a script drives its trainer itself, as that of trl 0.11.4 and before needs it.

    One that gives it a `dataset` does so too, perhaps in a function that another file calls.
    """
    passed = facts.run.script.passed
    old = passed is not None and "dataset" in passed.values
    return old or not {"generate", "step"}.isdisjoint(of_loop(facts))


def release(facts: Facts) -> Version:
    """The target's trl as `any_release` gives it, for a script that calls `train()`.

    Raises `NotConcerned` also if the script is written for the old PPOTrainer: one finding says so.
    """
    version = any_release(facts)
    if by_loop(facts):
        raise NotConcerned(f"the script is written for the PPOTrainer before trl {FIRST}")
    return version


def any_release(facts: Facts) -> Version:
    """The target's trl; the last release with PPO if it is not known or too new.

    Raises `NotConcerned` if the run is not PPO, or PPOTrainer is the old one.
    """
    run = facts.run
    if isinstance(run.file, Unavailable):
        raise run.file
    if run.file is None:
        raise NotConcerned("a model folder names no models for PPO")
    no_other_program(facts)
    if isinstance(run.trainer, Unavailable):
        raise run.trainer
    if run.trainer.name != "ppo":
        raise NotConcerned(f"only PPO is affected; this run is {run.trainer.name}")
    version = facts.environment.version("trl")
    if version and version < FIRST:
        raise NotConcerned(f"PPOTrainer of trl {version} is another trainer")
    if version is None and (old := next((key for key in run.arguments if _of_old(key)), "")):
        raise NotConcerned(f"{old} is an argument of the PPOTrainer before trl {FIRST}")
    if version and version > LAST and run.by_class:
        raise Unavailable(f"trl {version} has no PPOTrainer (the last with it is {LAST})")
    return min(version or LAST, LAST)


OF_NEW = frozenset(
    {"args", "policy", "processing_class", "reward_model", "train_dataset", "value_model"}
)
"""Arguments of this PPOTrainer that the one before `FIRST` has not."""


def of_this_release(
    trainer: Trainer | Unavailable, passed: Passed | None, version: Version | None
) -> Trainer | Unavailable:
    """The trainer of a script; not known if it is PPO as it was before `FIRST`.

    That one takes a batch and its rewards from a loop of the script's own.
    """
    if isinstance(trainer, Unavailable) or trainer.name != "ppo" or version is None:
        return trainer
    if version >= FIRST or passed is None or OF_NEW & set(passed.values):
        return trainer
    return Unavailable(
        f"before trl {FIRST} PPOTrainer was another class, which a loop of the script drives: "
        "no check is about that one"
    )


def _of_old(key: str) -> bool:
    """Whether only the old trainer had an argument."""
    lifetimes = releases.lifetimes("PPOConfig", key)
    return bool(lifetimes) and all(
        lifetime.gone_in is not None and lifetime.gone_in <= FIRST for lifetime in lifetimes
    )


def named(facts: Facts, role: Role) -> Model | None:
    """The model of a role; its name is "" if the run file has null."""
    return facts.run.models.get(role)


def own_script(facts: Facts) -> str:
    """A key that TRL's PPO script does not accept; "" if the script can read this file."""
    ours = OWN_KEYS - SCRIPT_KEYS
    return next((key for key in facts.run.arguments if key in ours), "")
