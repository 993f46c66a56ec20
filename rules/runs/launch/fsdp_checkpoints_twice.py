"""FSDP and the trainer both checkpoint activations.

FSDP and the trainer can each drop activations and compute them again. The Trainer refuses to do
both: "`fsdp_config['activation_checkpointing']` … and the … training argument can't both be set to
True". trl turns the trainer's on by default, so a file of accelerate that turns FSDP's on is
enough.

Remedy: set gradient_checkpointing: false and keep FSDP's, which does not gather the weights an
extra time.

Versions: transformers 4.48 to 5.23, trainers that use the loop of transformers (not PPO).

Seen: reproduced with a rehearsal of SFT in two processes, FSDP 2, trl 1.16.0: with
gradient_checkpointing: false it trains.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.trained_with import trained_with
from trl_doctor.facts.launch import fsdp
from trl_doctor.facts.launch.files import (
    LOOP,
    Settings,
    fsdp_settings,
    if_named,
)
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer

KEY = "gradient_checkpointing"
TRUE = (True, "true", "True")


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) not in LOOP:
        raise NotConcerned("this trainer has a loop of its own, or is not known")
    settings, keys = _checkpointing(facts)
    if settings.get(*keys) not in TRUE:
        return
    run, by_default = facts.run, KEY not in facts.run.arguments
    if trained_with(facts, KEY) if by_default else run.flag(KEY):
        how = f"{KEY} is on" + (" by default" if by_default else "")
        yield Finding(
            settings.place(*keys),
            f"{keys[-1]} of {settings.name} is on, and {how}: the run is refused",
            remedy=f"set {KEY}: false in the run",
        )


def _checkpointing(facts: Facts) -> tuple[Settings, tuple[str, ...]]:
    """The settings of FSDP, and the key in them that turns checkpointing on."""
    if settings := if_named(facts, fsdp_settings):
        prefix = "fsdp_" if "fsdp_activation_checkpointing" in settings.value else ""
        return settings, (f"{prefix}activation_checkpointing",)
    file = fsdp.fsdp_file(facts)
    return file, fsdp.route(file, "activation_checkpointing")


def _files(**arguments: Json) -> dict[str, Json]:
    run: Json = {"trainer": "sft", "model_name_or_path": "m", **arguments}
    settings: Json = {"fsdp_activation_checkpointing": True}
    acc: Json = {"distributed_type": "FSDP", "fsdp_config": settings}
    return {"run.json": run, "acc.yaml": acc}


OWN: Json = {"activation_checkpointing": True}
SHORT: Json = {"distributed_type": "FSDP", "fsdp_config": OWN}
OLD, NEW = {"trl": "0.15.2"}, {"trl": "1.16.0"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains=r"activation_checkpointing.*(?:can't both be|can't be) set to True",
    examples=(
        Bad(
            _files(accelerate_config="acc.yaml"),
            versions=NEW,
            says="acc.yaml is on, and gradient_checkpointing is on by default: the run is refused",
        ),
        Bad(
            _files(fsdp="full_shard", fsdp_config=OWN, gradient_checkpointing=True),
            versions=OLD,
            says="activation_checkpointing of fsdp_config is on, and gradient_checkpointing is on",
        ),
        Bad(
            {**_files(accelerate_config="acc.yaml"), "acc.yaml": SHORT},
            versions=NEW,
            says="activation_checkpointing of acc.yaml is on, and gradient_checkpointing is on by",
        ),
        Good(_files(accelerate_config="acc.yaml"), versions=OLD),
        Good(_files(accelerate_config="acc.yaml", gradient_checkpointing=False), versions=NEW),
        Good(_files(fsdp="full_shard", gradient_checkpointing=True)),
    ),
)
