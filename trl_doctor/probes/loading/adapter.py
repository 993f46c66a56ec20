"""Which modules of the real model the run's LoRA targets name, and what peft makes of them."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from pathlib import Path
from typing import Any

from ..answers.load import LoadedAdapter
from ..refusal import Refused
from ..values import YES, typed
from . import config as configs

MOST = 40
"""The most names of modules that are reported."""

LINEAR = ("Linear", "Conv1D")
"""Classes of modules that an adapter can be put on."""

TARGETS = "lora_target_modules"

SAYS_HEAD = "adapter to `lm_head` is not supported"
"""TRL's error for an adapter on the head, in the releases that refuse one."""


def examined(request: dict[str, Any]) -> LoadedAdapter:
    """The targets, the modules that each matches, and what peft raises where it refuses."""
    arguments = request["arguments"]
    if not flag(arguments.get("use_peft")):
        raise Refused("the run trains no adapter (use_peft)")
    config = peft_config(request)
    model = on_meta(request)
    modules = dict(model.named_modules())
    kinds = {name.rpartition(".")[2]: type(module).__name__ for name, module in modules.items()}
    targets = listed(config.target_modules)
    counts = matched(config, [name for name in modules if name])
    refusal, adapted, adapted_head = injected(model, config)
    return LoadedAdapter(
        class_name=type(model).__name__,
        targets=tuple(targets),
        matched=counts,
        linear=tuple(sorted(name for name, kind in kinds.items() if kind in LINEAR)[:MOST]),
        refusal=refusal,
        adapted=adapted,
        adapted_head=adapted_head,
        head_refused=refuses_head(request),
    )


def flag(value: Any) -> bool:
    """A boolean of a run file, with the words that TRL's command line accepts."""
    if isinstance(value, str):
        return value.strip().lower() in YES
    return bool(value)


def peft_config(request: dict[str, Any]) -> Any:
    """The adapter's configuration as TRL's scripts make it of the run file."""
    try:
        import peft  # noqa: F401
    except ImportError:
        raise Refused("peft is not installed") from None
    from trl import ModelConfig, get_peft_config

    settings = adapter_settings(request["arguments"], request.get("by_class", False))
    for key in (TARGETS, "lora_modules_to_save"):
        if isinstance(settings.get(key), str):
            settings[key] = settings[key].split()
    return get_peft_config(ModelConfig(**settings))


def adapter_settings(arguments: dict[str, Any], by_class: bool) -> dict[str, Any]:
    """The adapter's settings in the run file, as TRL's ModelConfig takes them; empty without one.

    ModelConfig makes a pattern of a single name in a list. `LoraConfig` of a script does not: it
    is given the name twice, which PEFT takes as once.
    """
    if not flag(arguments.get("use_peft")):
        return {}
    fields = dataclasses.fields(importlib.import_module("trl").ModelConfig)
    settings = {
        field.name: _typed(arguments[field.name], str(field.type))
        for field in fields
        if field.name.startswith(("lora_", "use_")) and field.name in arguments
    }
    targets = settings.get(TARGETS)
    if by_class and isinstance(targets, list) and len(targets) == 1 and targets != ["all-linear"]:
        settings[TARGETS] = targets * 2
    return settings


def _typed(value: Any, kind: str) -> Any:
    return flag(value) if "bool" in kind else typed(value, kind)


def on_meta(request: dict[str, Any]) -> Any:
    """The policy's model without values."""
    import torch

    folder = request["folders"].get("policy")
    if not folder:
        raise Refused("the run names no model")
    trusted = request["trust_remote_code"]
    trainer = (request["trainer"] or {}).get("name")
    config = configs.loaded_config(Path(folder), trusted)
    with torch.device("meta"):
        return configs.random_model(config, "policy", trusted, trainer)


def matched(config: Any, names: list[str]) -> dict[str, int]:
    """How many modules each target names, by peft's own way of matching."""
    from peft.tuners.tuners_utils import check_target_module_exists

    ways: dict[str, Any] = {item: {item} for item in listed(config.target_modules)}
    if isinstance(config.target_modules, str):
        if config.target_modules == "all-linear":
            return {}
        ways = {config.target_modules: config.target_modules}
    modules = {}
    for module, way in ways.items():
        alone = dataclasses.replace(config, target_modules=way)
        modules[module] = sum(bool(check_target_module_exists(alone, name)) for name in names)
    return modules


def listed(names: Any) -> list[str]:
    """Names as a list, in order."""
    if names is None:
        return []
    return [names] if isinstance(names, str) else sorted(names)


def injected(model: Any, config: Any) -> tuple[str, int, bool]:
    """What peft refuses, "" for nothing; how many modules it adapts; whether the head is one."""
    from peft import get_peft_model
    from peft.tuners.tuners_utils import BaseTunerLayer

    try:
        peft_model = get_peft_model(model, config, low_cpu_mem_usage=True)
    except ValueError as error:
        return str(error)[:600], 0, False
    adapted = len(getattr(peft_model.base_model, "targeted_module_names", []))
    return "", adapted, isinstance(peft_model.get_output_embeddings(), BaseTunerLayer)


def refuses_head(request: dict[str, Any]) -> bool:
    """Whether the run's trainer has code that refuses an adapter on the head."""
    trainer_names = request["trainer"]
    if not trainer_names:
        return False
    trainer = getattr(importlib.import_module(trainer_names["module"]), trainer_names["class"])
    return SAYS_HEAD in inspect.getsource(inspect.unwrap(trainer))
