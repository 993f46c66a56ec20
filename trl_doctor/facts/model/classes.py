"""The class that TRL's command creates for the policy, from its sources or by its release."""

from __future__ import annotations

import re

from packaging.version import Version

from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.library import sources

TRAINED = ("sft", "grpo", "rloo", "dpo", "kto")
"""Trainers of causal language models that have a command."""

NO_TEXT = ("ForMaskedLM", "ForSequenceClassification", "ForTokenClassification",
           "ForQuestionAnswering", "ForPreTraining", "ForMultipleChoice")  # fmt: skip
"""The suffixes of classes that cannot generate."""

BY_PATH = r"Trainer\(\s*(model=)?model_\w+\.model_name_or_path"
BEFORE, SINCE = Version("0.19.1"), Version("1.12.0")
"""Tested releases: the last that ignores `architectures`, the first in which all read it."""


def by_architecture(facts: Facts, trainer: Trainer) -> bool:
    """Whether the command creates the class that `architectures` names first.

    Raises `Unavailable` if this is not known for the release.
    """
    script, own = _texts(facts, trainer)
    if script is not None:
        return bool(re.search(BY_PATH, script)) and "config.architectures[0]" in own
    return _by_release(facts)


def named_to_trainer(facts: Facts, trainer: Trainer) -> bool:
    """Whether the trainer gets the policy's name, and creates the class that `architectures` names.

    Raises `Unavailable` if this is not known for the release.
    """
    if facts.run.script.passed is None:
        return by_architecture(facts, trainer)
    if not isinstance(getattr(facts.run.script.passed.given("model"), "value", None), str):
        return False
    _, own = _texts(facts, trainer)
    return "config.architectures[0]" in own if own else _by_release(facts)


def reads_config_first(facts: Facts, trainer: Trainer) -> bool:
    """Whether the command reads the folder's own config.json, even for an adapter."""
    script, _ = _texts(facts, trainer)
    if script is not None and "AutoConfig.from_pretrained(model_args" in script:
        return True
    return by_architecture(facts, trainer)


def _texts(facts: Facts, trainer: Trainer) -> tuple[str | None, str]:
    """The source of the command's script (None if not installed), and of the code that it uses."""
    packages = sources(facts.environment)
    script = packages.text(f"trl.scripts.{trainer.name}")
    own = packages.text(f"trl.trainer.{trainer.name}_trainer")
    if script is None or own is None:
        return None, ""
    shared = packages.text("trl.trainer.utils") if "create_model_from_path(" in own else None
    return script, own + (shared or "")


def _by_release(facts: Facts) -> bool:
    trl = facts.environment.version("trl")
    if trl is None or BEFORE < trl < SINCE:
        raise Unavailable(f"trl {trl or ''} is not installed: which class it makes is not known")
    return trl >= SINCE
