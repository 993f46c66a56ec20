"""What a candidate's config.json says, and the model that TRL makes of it, without its weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..refusal import Refused

FILE = "config.json"
ADAPTER = "adapter_config.json"
"""What makes transformers load an adapter, and its base model, from a folder."""

GENERATES = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")


def mapping(file: Path) -> dict[str, Any]:
    """The object that a JSON file holds; empty if there is none that can be read."""
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def of_checkpoint(folder: Path) -> dict[str, Any]:
    """The config.json of a whole model. Raises `Refused` for an adapter, and without one."""
    if (folder / ADAPTER).is_file():
        raise Refused("the folder is a PEFT adapter")
    content = mapping(folder / FILE)
    if not content:
        raise Refused("there is no config.json that can be read")
    return content


def loaded_config(folder: Path, trusted: bool) -> Any:
    """The config as transformers reads it; raises what that raises."""
    from transformers import AutoConfig

    return AutoConfig.from_pretrained(str(folder), trust_remote_code=trusted)


def class_for(
    role: str, architectures: Any, trainer: str | None = None, class_named: bool = False
) -> tuple[Any, dict[str, Any]]:
    """The class with which TRL loads the model of a role, and its further arguments.

    `class_named` says that this release creates whatever class `architectures` names first. A
    "classifier" is a model of the script's own, whose head has as many labels as its config.
    """
    import transformers

    if role == "classifier":
        return transformers.AutoModelForSequenceClassification, {}
    if role in ("reward", "value") or trainer == "reward":
        return transformers.AutoModelForSequenceClassification, {"num_labels": 1}
    if trainer == "prm":
        return transformers.AutoModelForTokenClassification, {"num_labels": 2}
    name = architectures[0] if isinstance(architectures, list) and architectures else None
    generates = isinstance(name, str) and name.endswith(GENERATES)
    if isinstance(name, str) and (class_named or generates) and hasattr(transformers, name):
        return getattr(transformers, name), {}
    return transformers.AutoModelForCausalLM, {}


def random_model(
    config: Any, role: str, trusted: bool, trainer: str | None = None, named: bool = False
) -> Any:
    """A model of a config, of the class that TRL loads: see `class_for`.

    A class that does not take this config, or replaces the folder's own code, gives way.
    """
    import transformers

    kind, more = class_for(role, config.architectures, trainer, named)
    for name, value in more.items():
        setattr(config, name, value)
    if not hasattr(kind, "from_config"):
        foreign = trusted and getattr(config, "auto_map", None)
        if isinstance(config, kind.config_class) and not foreign:
            return kind._from_config(config)
        kind = transformers.AutoModelForCausalLM
    return kind.from_config(config, trust_remote_code=trusted)
