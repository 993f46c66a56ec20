"""Which of a run's arguments the step takes as they are, and which are made small or left out."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import gpu_memory
from ..loading.adapter import flag
from ..values import typed
from . import distilling
from .argument_tables import (
    ALONE,
    BATCH,
    COMPLETION,
    ENGINE,
    FIXED,
    LEFT_OUT,
    NO_GPU,
    ON_CPU,
    OPTIMIZERS,
    PACKED,
    ROWS,
    SIZES,
    SMALL,
    Settings,
    caps,
)


@dataclasses.dataclass(frozen=True)
class Arguments:
    """What the config class is given, and what of the run's own was changed: given, used, why."""

    used: dict[str, Any]
    changed: dict[str, tuple[Any, Any, str]]


def arguments(
    config: type,
    run: dict[str, Any],
    trainer: str,
    device: str,
    own_sizes: bool = False,
    engine: bool = False,
) -> Arguments:
    """The arguments of a step; keys that the config class does not accept are not included.

    With `own_sizes` the batch is as large as the run's own, with `engine` vLLM generates.
    """
    types, stated = typed_arguments(config, run)
    settings = _small(types, stated, trainer, device)
    settings.update(of_engine(stated, device) if engine else without_engine(stated))
    settings.update(distilling.settings(stated, trainer))
    out = {name: reason for reason, names in LEFT_OUT.items() for name in names}
    if own_sizes:
        settings = {name: setting for name, setting in settings.items() if name not in SIZES}
        settings["total_episodes"] = (batch_of(stated), SMALL)
        out = {name: reason for name, reason in out.items() if name not in SIZES}
    if device == "cpu":
        out.update({name: NO_GPU for name in ON_CPU if name not in settings})
    if trainer == "ppo" or "rloo_k" in types:
        out["max_steps"] = "this trainer counts episodes"
        del settings["max_steps"]
    return settled(types, stated, settings, out)


def of_engine(stated: dict[str, Any], device: str) -> Settings:
    """The arguments that are set when vLLM generates, in addition to the sizes of the step."""
    settings: Settings = {
        "use_vllm": (True, ENGINE),
        "vllm_mode": ("colocate", ALONE),
        "vllm_tensor_parallel_size": (1, ALONE),
        "vllm_gpu_memory_utilization": (engine_share(device), SMALL),
    }
    if device == "cpu":
        settings["vllm_enable_sleep_mode"] = (False, NO_GPU)
    kwargs = of_sampling(stated.get("generation_kwargs"))
    cut = {
        name: min(kwargs[name], COMPLETION)
        for name in ("max_tokens", "min_tokens")
        if type(kwargs.get(name)) is int
    }
    if kwargs:
        settings["generation_kwargs"] = ({**kwargs, **cut}, SMALL)
    return settings


def without_engine(stated: dict[str, Any]) -> Settings:
    """Replacements for vLLM's values in a run's sampling, where transformers generates instead."""
    settings: Settings = {}
    if not flag(stated.get("use_vllm")):
        return settings
    if stated.get("generation_kwargs"):
        settings["generation_kwargs"] = ({}, ENGINE)
    top_k = stated.get("top_k")
    if type(top_k) is int and top_k < 0:
        settings["top_k"] = (0, "the value with which transformers keeps all tokens")
    return settings


def of_sampling(value: Any) -> dict[str, Any]:
    """`generation_kwargs`, with token ids for keys where the run file's format has texts only."""
    kwargs = parsed(value)
    bias = kwargs.get("logit_bias")
    if isinstance(bias, dict):
        ids = {int(key) if str(key).isdecimal() else key: value for key, value in bias.items()}
        kwargs["logit_bias"] = ids
    return kwargs


def engine_share(device: str) -> float:
    """The part of the GPU's memory for the engine of a small model: less where little is free."""
    return min(0.2, gpu_memory.share()) if device == "cuda" else 0.2


def typed_arguments(config: type, run: dict[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """The types of a config's arguments by name, and the run's arguments among them, typed."""
    types = {field.name: str(field.type) for field in dataclasses.fields(config) if field.init}
    return types, {name: typed(value, types[name]) for name, value in run.items() if name in types}


def settled(
    types: dict[str, str], stated: dict[str, Any], settings: Settings, out: dict[str, str]
) -> Arguments:
    """The stated arguments with the settings over them, limited to those that exist.

    `out` are names that are left out, with the reason.
    """
    settings = {name: value for name, value in settings.items() if name in types}
    used = {name: value for name, value in stated.items() if name not in out}
    used.update({name: value for name, (value, _) in settings.items()})
    changed = {
        name: (value, used.get(name), settings[name][1] if name in settings else out[name])
        for name, value in stated.items()
        if used.get(name) != value
    }
    return Arguments(used, changed)


def batch_of(stated: dict[str, Any]) -> int:
    """The rows of one update of one process; 0 if an argument is no number."""
    sizes = [stated.get(name, usual) for name, usual in BATCH.items()]
    return math.prod(sizes) if all(type(size) is int for size in sizes) else 0


def _small(types: dict[str, str], stated: dict[str, Any], trainer: str, device: str) -> Settings:
    """The arguments that are set in every step, by name, with the reason."""
    settings = dict(FIXED)
    capped = caps(types)
    usual_sizes = {name: usual for name, (usual, _) in capped.items()}
    if trainer in distilling.SINGLE:
        usual_sizes["num_generations"] = ROWS
    for name, (_, most) in capped.items():
        usual, value = usual_sizes[name], stated.get(name)
        wanted_size = value if isinstance(value, int) and not isinstance(value, bool) else usual
        settings[name] = (min(wanted_size, most), SMALL)
    key = "rloo_k" if "rloo_k" in stated else "num_generations"
    online = trainer in distilling.GROUPED
    batch = stated.get("per_device_train_batch_size", ROWS)
    size = settings[key][0] if online else min(batch, ROWS) if isinstance(batch, int) else ROWS
    settings["per_device_train_batch_size"] = (size, SMALL)
    length = stated.get("max_length", PACKED)
    if stated.get("packing") and length is not None:  # without a length some releases refuse
        settings["max_length"] = (min(length, PACKED) if isinstance(length, int) else PACKED, SMALL)
    if device == "cpu":
        settings["use_cpu"] = (True, NO_GPU)
        if any(optimizer in str(stated.get("optim", "")) for optimizer in OPTIMIZERS):
            settings["optim"] = ("adamw_torch", NO_GPU)
    return settings


def parsed(value: Any) -> dict[str, Any]:
    """An argument that is a mapping, or JSON of one; empty if it is neither."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return dict(value) if isinstance(value, dict) else {}


def files_beside(
    keys: Sequence[str], arguments: dict[str, Any], roots: list[str]
) -> dict[str, str]:
    """The files beside the run file that arguments name, wherever the probe works."""
    found: dict[str, str] = {}
    for key in keys:
        value = arguments.get(key)
        places = [Path(root) / value for root in roots] if isinstance(value, str) else []
        files = [str(path.absolute()) for path in places if path.exists()]
        found.update(dict.fromkeys([key], files[0]) if value and files else {})
    return found
