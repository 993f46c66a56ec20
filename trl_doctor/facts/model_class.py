"""Which class TRL's command makes of the policy, from its installed sources or by its release."""

from __future__ import annotations

import re

from packaging.version import Version

from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import sources

TRAINED = ("sft", "grpo", "rloo", "dpo", "kto")
"""Trainers of causal language models that have a command."""

BY_PATH = r"Trainer\(\s*(model=)?model_\w+\.model_name_or_path"
BEFORE, SINCE = Version("0.19.1"), Version("1.12.0")
"""Releases tried: the last whose commands ignore `architectures`, the first where all look."""


def by_architecture(facts: Facts, trainer: Trainer) -> bool:
    """Whether the command makes the class that `architectures` names first.

    Raises `Unavailable` where that is not known of the release.
    """
    script, own = _texts(facts, trainer)
    if script is not None:
        return bool(re.search(BY_PATH, script)) and "config.architectures[0]" in own
    return _by_release(facts)


def reads_config_first(facts: Facts, trainer: Trainer) -> bool:
    """Whether the command reads the folder's own config.json, whatever adapter lies there."""
    script, _ = _texts(facts, trainer)
    if script is not None and "AutoConfig.from_pretrained(model_args" in script:
        return True
    return by_architecture(facts, trainer)


def resumes(facts: Facts, trainer: Trainer) -> bool | None:
    """Whether the command goes on from `resume_from_checkpoint`; None where that is not known."""
    script, _ = _texts(facts, trainer)
    return None if script is None else "resume_from_checkpoint" in script


def _texts(facts: Facts, trainer: Trainer) -> tuple[str | None, str]:
    """The source of the command's script, None where it is not installed, and of what it uses."""
    found = sources(facts.environment)
    script = found.module(f"trl.scripts.{trainer.name}")
    own = found.module(f"trl.trainer.{trainer.name}_trainer")
    if script is None or own is None:
        return None, ""
    shared = found.module("trl.trainer.utils") if "create_model_from_path(" in own.text else None
    return script.text, own.text + (shared.text if shared else "")


def _by_release(facts: Facts) -> bool:
    trl = facts.environment.version("trl")
    if trl is None or BEFORE < trl < SINCE:
        raise Unavailable(f"trl {trl or ''} is not installed: which class it makes is not known")
    return trl >= SINCE
