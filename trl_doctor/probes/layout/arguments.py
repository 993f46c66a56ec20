"""Which of a run's arguments the step takes as they are, and which are made small or left out."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

from .. import gpu_memory
from ..loading.adapter import flag
from ..values import typed
from . import distilling

SMALL = "one small step is enough"
QUIET = "a dry run saves and reports nothing"
SEEN = "so that one step shows"
ALONE = "the step runs in one process"
ENGINE = "another check asks the engine"
NO_GPU = "it needs a GPU, and the step runs on the CPU"

COMPLETION, GENERATIONS, ROWS, PACKED = 24, 4, 2, 256
"""Tokens of a completion, completions of a prompt, rows of a batch, tokens of a packed row."""

Settings = dict[str, tuple[Any, str]]
"""Arguments that are set in every step, with the reason."""

SILENT: Settings = {
    "report_to": ("none", QUIET),
    "save_strategy": ("no", QUIET),
    "eval_strategy": ("no", QUIET),
    "load_best_model_at_end": (False, QUIET),
    "push_to_hub": (False, QUIET),
    "log_completions": (False, QUIET),
    "disable_tqdm": (True, QUIET),
}
VISIBLE: Settings = {
    "lr_scheduler_type": ("constant", SEEN),
    "warmup_ratio": (0.0, SEEN),
    "warmup_steps": (0, SEEN),
    "logging_strategy": ("steps", SEEN),
    "logging_steps": (1, SEEN),
    "logging_nan_inf_filter": (False, SEEN),
}
"""What makes one step move the weights, and log that it did."""

FIXED: Settings = {
    "max_steps": (1, SMALL),
    "gradient_accumulation_steps": (1, SMALL),
    "total_episodes": (ROWS, SMALL),
    "num_ppo_epochs": (1, SMALL),
    "num_mini_batches": (1, SMALL),
    "num_sample_generations": (0, SMALL),
    "local_rollout_forward_batch_size": (ROWS, SMALL),
    "per_device_eval_batch_size": (ROWS, SMALL),
    "dataloader_num_workers": (0, SMALL),
    **SILENT,
    **VISIBLE,
    "use_vllm": (False, ENGINE),
}
"""Arguments of every step, if its config has them."""

CAPS = {
    "max_completion_length": (256, COMPLETION),
    "response_length": (53, COMPLETION),
    "max_new_tokens": (64, 64),
    "num_generations": (8, GENERATIONS),
    "rloo_k": (2, GENERATIONS),
}
"""The default of most releases, and the most that the step takes."""

SIZES = ("per_device_train_batch_size", "gradient_accumulation_steps", "num_generations", "rloo_k",
         "num_mini_batches", "local_rollout_forward_batch_size", "steps_per_generation",
         "generation_batch_size")  # fmt: skip
"""What makes a batch, and what must fit it."""

BATCH = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 1, "num_mini_batches": 1}
"""Of what a batch is the product, with the default of each."""

LEFT_OUT = {
    SMALL: ("num_train_epochs", "steps_per_generation", "generation_batch_size", "dataset_num_proc",
            "num_generations_eval", "auto_find_batch_size", "dataloader_prefetch_factor",
            "dataloader_persistent_workers"),
    QUIET: ("output_dir", "logging_dir", "run_name", "hub_model_id", "hub_strategy", "hub_token",
            "hub_private_repo", "hub_revision", "do_eval", "eval_on_start", "evaluation_strategy",
            "eval_steps", "eval_delay", "save_steps", "save_total_limit", "generate_during_eval",
            "resume_from_checkpoint"),
    SEEN: ("lr_scheduler_kwargs",),
    ALONE: ("deepspeed", "fsdp", "fsdp_config", "accelerator_config", "parallelism_config",
            "local_rank", "ddp_backend", "ddp_timeout", "ddp_find_unused_parameters",
            "ddp_bucket_cap_mb", "ddp_broadcast_buffers"),
}  # fmt: skip

ON_CPU = ("torch_compile", "torch_compile_backend", "torch_compile_mode", "use_liger_kernel",
          "use_liger_loss", "tf32", "fp16", "fp16_full_eval", "activation_offloading",
          "use_transformers_paged", "use_transformers_continuous_batching",
          "optim_target_modules")  # fmt: skip
OPTIMIZERS = ("8bit", "4bit", "bnb", "paged", "apex", "npu", "xla", "anyprecision", "galore",
              "lomo", "apollo", "torchao")  # fmt: skip
"""Parts of the names of optimizers that need a GPU or a further package."""


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
    settings = _small(stated, trainer, device)
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
        settings["top_k"] = (0, "transformers says so that none are cut")
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


def _small(stated: dict[str, Any], trainer: str, device: str) -> Settings:
    """The arguments that are set in every step, by name, with the reason."""
    settings = dict(FIXED)
    usual_sizes = {name: usual for name, (usual, _) in CAPS.items()}
    if trainer in distilling.SINGLE:
        usual_sizes["num_generations"] = ROWS
    for name, (_, most) in CAPS.items():
        usual, value = usual_sizes[name], stated.get(name)
        wanted_size = value if isinstance(value, int) and not isinstance(value, bool) else usual
        settings[name] = (min(wanted_size, most), SMALL)
    key = "rloo_k" if "rloo_k" in stated else "num_generations"
    online = trainer in distilling.GROUPED
    batch = stated.get("per_device_train_batch_size", ROWS)
    size = settings[key][0] if online else min(batch, ROWS) if isinstance(batch, int) else ROWS
    settings["per_device_train_batch_size"] = (size, SMALL)
    if stated.get("packing"):
        length = stated.get("max_length")
        settings["max_length"] = (min(length, PACKED) if isinstance(length, int) else PACKED, SMALL)
    if device == "cpu":
        settings["use_cpu"] = (True, NO_GPU)
        if any(optimizer in str(stated.get("optim", "")) for optimizer in OPTIMIZERS):
            settings["optim"] = ("adamw_torch", NO_GPU)
    return settings


def parsed(value: Any) -> dict[str, Any]:
    """An argument that is a mapping, or JSON of one; empty where it is neither."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return dict(value) if isinstance(value, dict) else {}
