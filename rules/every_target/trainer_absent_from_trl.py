"""The installed TRL does not have this trainer.

The import fails before anything is loaded: "cannot import name 'PPOTrainer' from 'trl'".

Remedy: install a release that has the trainer, or train with another one.

Versions: PPO left `trl` for `trl.experimental.ppo` in 0.26.0 and TRL in 1.13.0. BCO, Nash-MD, PRM
and XPO were removed in 1.14.0. GRPO came with 0.14.0, GOLD with 0.25.0. Up to 0.11.4 PPOTrainer was
another class with the same name, which a loop of the script drives: a script that gives it only
what that class takes is not reported, and its trainer is not examined.

Seen: trl#7020, trl#3250. Reproduced: `from trl import PPOTrainer` and `from trl.experimental.ppo
import PPOTrainer` with trl 1.16.0, and PPOTrainer(reward_model=…) with trl 0.11.4.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.library import accepted, releases
from trl_doctor.facts.rule import Bad, Good, Rule

NEW_PPO = Version("0.12.0")
INSTEAD = {
    "ppo": "GRPOTrainer and RLOOTrainer need no value model",
    "xpo": "OnlineDPOTrainer is the nearest",
    "nash_md": "OnlineDPOTrainer is the nearest",
    "bco": "KTOTrainer trains on the same rows",
}


def check(facts: Facts) -> Iterator[Finding]:
    trainer, version = facts.run.trainer, facts.environment.version("trl")
    no_other_program(facts)
    if isinstance(trainer, Unavailable):
        raise trainer
    place = facts.run.place("trainer") if "trainer" in facts.run.arguments else facts.run.place()
    if version is None:
        yield from _gone_from_newest(trainer, place)
    elif trainer.name == "ppo" and version < NEW_PPO:
        message = f"PPOTrainer of trl {version} is another trainer: it has no reward or value model"
        pin = f"install trl>={NEW_PPO},<1.13 (in {version} that trainer is PPOv2Trainer)"
        yield Finding(place, message, remedy=pin)
    elif (keys := accepted(facts.environment, trainer)).absent and not _has(trainer, version):
        yield _absent(trainer, version, place, keys.source)


def _has(trainer: Trainer, version: Version) -> bool:
    """Whether that trl has the trainer, perhaps without a config of its own (to 0.8)."""
    return any(
        lifetime.first <= version and not (lifetime.gone_in and lifetime.gone_in <= version)
        for lifetime in releases.exported(trainer.trainer)
    )


def _absent(trainer: Trainer, version: Version, place: Place, source: str) -> Finding:
    lives = releases.exported(trainer.trainer)
    ended = [
        lifetime
        for lifetime in lives
        if lifetime.gone_in and lifetime.last and lifetime.gone_in <= version
    ]
    if not ended:
        first = lives[0].first
        message = f"trl {version} has no {trainer.trainer} yet: it comes with trl {first}"
        return Finding(place, message, remedy=f"install trl>={first}")
    last, removed_in = ended[-1].last, ended[-1].gone_in
    message = f"trl {version} has no {trainer.trainer}: trl {last} was the last with it"
    assert last
    home = releases.trainer_home(last, trainer.trainer)
    evidence = (f"trl {last} has it in {home}", f"its arguments: {source}")
    instead = f"; or train with another: {INSTEAD[trainer.name]}" if trainer.name in INSTEAD else ""
    return Finding(place, message, evidence, remedy=f"install trl<{removed_in}{instead}")


def _gone_from_newest(trainer: Trainer, place: Place) -> Iterator[Finding]:
    """The message if the version of trl is not known."""
    lives = releases.exported(trainer.trainer)
    if lives and lives[-1].gone_in:
        removed_in = lives[-1].gone_in
        message = (
            f"trl has no {trainer.trainer} from {removed_in} on; the version of trl is not known"
        )
        yield Finding(place, message, severity="warning", remedy=f"install trl<{removed_in}")


def _ppo(more: str) -> dict[str, Json]:
    """A script with that trainer."""
    return {
        "train.py": "from trl import PPOConfig, PPOTrainer\nfrom data import rows\n"
        f"PPOTrainer(model='org/m', {more})\n"
    }


OLDEST = (
    "from trl import PPOConfig, PPOTrainer\nfrom data import rows, tokenizer\n"
    "PPOTrainer(PPOConfig(batch_size=8), 'org/m', ref_model=None, tokenizer=tokenizer)\n"
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": {"trainer": "ppo"}},
            versions={"trl": "1.16.0"},
            says="trl 1.16.0 has no PPOTrainer: trl 1.12.0 was the last with it",
        ),
        Bad({"run.json": {"trainer": "ppo"}}, says="from 1.13.0 on", severity="warning"),
        Bad(
            {"run.json": {"trainer": "ppo"}},
            versions={"trl": "0.11.4"},
            says="PPOTrainer of trl 0.11.4 is another trainer",
        ),
        Bad(
            _ppo("reward_model='org/r', args=PPOConfig('o')"),
            "train.py",
            versions={"trl": "0.11.4"},
            says="PPOTrainer of trl 0.11.4 is another trainer",
        ),
        Good(
            _ppo("config=PPOConfig(batch_size=8), ref_model=None, dataset=rows"),
            "train.py",
            versions={"trl": "0.11.4"},
            skipped="a loop of the script drives",
        ),
        Good(
            {"train.py": OLDEST},
            "train.py",
            versions={"trl": "0.5.0"},
            skipped="a loop of the script drives",
        ),
        Bad(
            {"run.json": {"trainer": "grpo"}},
            versions={"trl": "0.12.2"},
            says="trl 0.12.2 has no GRPOTrainer yet: it comes with trl 0.14.0",
        ),
        Good({"run.json": {"trainer": "ppo"}}, versions={"trl": "1.12.0"}),
        Good({"run.json": {"trainer": "ppo"}}, versions={"trl": "0.12.0"}),
        Good({"run.json": {"trainer": "grpo"}}),
        Good({"run.json": {"trainer": "dpo"}}, versions={"trl": "0.7.11"}),
        Good({"model/config.json": {}}, target="model", skipped="the trainer is not known"),
    ),
)
