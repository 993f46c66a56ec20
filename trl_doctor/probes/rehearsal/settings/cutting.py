"""Which arguments of a script's own config a rehearsal changes, and why."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ...layout.argument_tables import NO_GPU, OPTIMIZERS, SILENT, SMALL, VISIBLE, caps
from ..record import of_the_job

ENGINE = "a rehearsal generates with transformers"
KEPT = "nothing is written outside the scratch folder"

Cuts = dict[str, tuple[Any, str]]
"""Arguments by name: what is used, and why."""

BATCH = 2
"""Rows of a batch, at most."""

CPU: Cuts = {
    "use_cpu": (True, NO_GPU),
    "no_cuda": (True, NO_GPU),
    "bf16": (False, NO_GPU),
    "fp16": (False, NO_GPU),
    "bf16_full_eval": (False, NO_GPU),
    "fp16_full_eval": (False, NO_GPU),
    "tf32": (None, NO_GPU),
    "torch_compile": (False, NO_GPU),
    "use_liger_kernel": (False, NO_GPU),
    "use_liger_loss": (False, NO_GPU),
    "activation_offloading": (False, NO_GPU),
    "use_transformers_paged": (False, NO_GPU),
    "use_transformers_continuous_batching": (False, NO_GPU),
    "ddp_backend": (None, NO_GPU),
    "use_vllm": (False, ENGINE),
    "report_to": ("none", "nothing is reported"),
    "push_to_hub": (False, "nothing is uploaded"),
    "deepspeed_plugin": (None, NO_GPU),
}
"""What this machine calls for, whatever the script says."""

FEW: Cuts = {
    "gradient_accumulation_steps": (1, SMALL),
    "per_device_eval_batch_size": (BATCH, SMALL),
    "dataloader_num_workers": (0, SMALL),
    "dataloader_persistent_workers": (False, SMALL),
    "dataloader_prefetch_factor": (None, SMALL),
    "dataset_num_proc": (None, SMALL),
    "num_ppo_epochs": (1, SMALL),
    "num_mini_batches": (1, SMALL),
    "num_sample_generations": (0, SMALL),
    "local_rollout_forward_batch_size": (BATCH, SMALL),
    "steps_per_generation": (None, SMALL),
    "generation_batch_size": (None, SMALL),
    "auto_find_batch_size": (False, SMALL),
    "generate_during_eval": (False, SMALL),
    "do_eval": (False, SMALL),
    "evaluation_strategy": ("no", SMALL),
    "resume_from_checkpoint": (None, SMALL),
    **{name: value for name, value in SILENT.items() if name != "report_to"},
    **VISIBLE,
}
"""What makes it small and seen."""

WITHOUT_WORD = frozenset(FEW) - {"gradient_accumulation_steps", "generation_batch_size",
                                 "steps_per_generation", "lr_scheduler_type"}  # fmt: skip
DEFAULTS: Mapping[str, int] = {"per_device_train_batch_size": 8}
ROW_LENGTHS = ("max_length", "max_seq_length")
ONLINE = ("num_generations", "rloo_k")

OWN_SIZES = ("per_device_train_batch_size", "per_device_eval_batch_size", "num_generations",
             "num_generations_eval", "gradient_accumulation_steps", "steps_per_generation",
             "generation_batch_size")  # fmt: skip
OF_EPISODES = ("per_device_train_batch_size", "per_device_eval_batch_size", "rloo_k",
               "gradient_accumulation_steps", "num_mini_batches",
               "local_rollout_forward_batch_size")  # fmt: skip
"""Sizes of trainers that count episodes: PPO, and RLOO of older releases."""
OWN_SCHEDULE = ("lr_scheduler_type", "warmup_ratio", "warmup_steps")
MODERATE = {"max_steps": 12, "max_completion_length": 256, "rows": 128}
"""What a wide rehearsal keeps, if the script asks for no more."""
STEPS, EPOCHS = 2, 4
"""Batches where the script does not say how many episodes, and epochs of a batch, at most."""


def for_this_machine(arguments: Mapping[str, Any], types: Mapping[str, Any], output: str) -> Cuts:
    """What must change before the config class may look at the script's own arguments."""
    cuts = dict(CPU)
    cuts["output_dir"] = (output, KEPT)
    if arguments.get("logging_dir"):
        cuts["logging_dir"] = (output + "/logs", KEPT)
    optimizer = str(arguments.get("optim", "")).lower()
    if any(part in optimizer for part in (*OPTIMIZERS, "fused")):
        cuts["optim"] = ("adamw_torch", NO_GPU)
    return {name: value for name, value in cuts.items() if name in types}


def small(arguments: Mapping[str, Any], types: Mapping[str, Any], trainer: str, steps: int,
          processes: int, rows: int = BATCH, *, wide: bool = False) -> Cuts:  # fmt: skip
    """What makes one run of the trainer a matter of seconds; `rows` are the most of a batch."""
    cuts = dict(FEW)
    for name, (usual, most) in caps(types).items():
        cuts[name] = (min(_number(arguments, name, usual), most), SMALL)
    size = min(_number(arguments, "per_device_train_batch_size", 8), rows)
    cuts["per_device_eval_batch_size"] = (rows, SMALL)
    if trainer == "PPOConfig":  # it divides by the spread of what accumulates, too
        size = min(size * _number(arguments, "gradient_accumulation_steps", 1), rows)
    key = next((name for name in ONLINE if name in types), None)
    if key == "num_generations":  # whole groups in a batch, which every release with it checks
        cuts["num_generations"] = (_group(cuts["num_generations"][0], processes), SMALL)
        size = max(1, cuts["num_generations"][0] // max(1, processes))
        cuts["steps_per_generation"] = (1, SMALL)
        cuts["per_device_eval_batch_size"] = cuts["num_generations"]
        if arguments.get("num_generations_eval"):
            cuts["num_generations_eval"] = cuts["num_generations"]
    if key == "rloo_k":  # a batch of whole groups, which it checks
        size = max(2, cuts[key][0])
    cuts["per_device_train_batch_size"] = (size, SMALL)
    cuts["total_episodes"] = (size * processes * steps, SMALL)
    cuts["max_steps"] = (steps, SMALL)
    if trainer == "PPOConfig" or key == "rloo_k":
        del cuts["max_steps"]
    if not _number(arguments, "dataloader_num_workers", 0):
        cuts.pop("dataloader_persistent_workers")  # without workers the run fails
    for name in ROW_LENGTHS:
        cuts.pop(name, None)  # a lower limit would drop rows, or cut them, that the run keeps
    if wide and "num_mini_batches" in types:
        _widen_episodes(cuts, arguments, processes)
    elif wide:
        _widen(cuts, arguments, types, processes)
    return {name: value for name, value in cuts.items() if name in types}


def _widen(
    cuts: Cuts, arguments: Mapping[str, Any], types: Mapping[str, Any], processes: int
) -> None:
    """Keep the script's own sizes, where a small model can hold them."""
    sizes = [_number(arguments, "per_device_train_batch_size", 8),
             _number(arguments, "gradient_accumulation_steps", 1)]  # fmt: skip
    groups = _number(arguments, "num_generations", 8) if "num_generations" in types else 1
    generated = max(_number(arguments, "generation_batch_size", 0),
                    sizes[0] * _number(arguments, "steps_per_generation", sizes[1]))  # fmt: skip
    rows = max(sizes[0] * sizes[1], groups, generated if groups > 1 else 0)
    if rows <= MODERATE["rows"] and (processes == of_the_job() or groups == 1):
        for name in OWN_SIZES:
            cuts.pop(name, None)
    for name in OWN_SCHEDULE:
        cuts.pop(name, None)
    for name in ("max_steps", "max_completion_length"):
        own = _number(arguments, name, caps(types).get(name, (0, 0))[0])
        if name in cuts and own > 0:
            cuts[name] = (min(own, MODERATE[name]), SMALL)


def _widen_episodes(cuts: Cuts, arguments: Mapping[str, Any], processes: int) -> None:
    """Keep the sizes of a trainer that counts episodes, and as many of its batches."""
    batch = _number(arguments, "per_device_train_batch_size", 8)
    batch *= _number(arguments, "gradient_accumulation_steps", 1) * processes
    if processes != of_the_job() or not 0 < batch <= MODERATE["rows"]:
        return
    for name in (*OF_EPISODES, *OWN_SCHEDULE):
        cuts.pop(name, None)
    own = _number(arguments, "total_episodes", 0) or batch * STEPS
    cuts["total_episodes"] = (min(own, batch * MODERATE["max_steps"]), SMALL)
    cuts["num_ppo_epochs"] = (min(_number(arguments, "num_ppo_epochs", EPOCHS), EPOCHS), SMALL)


def _group(size: int, processes: int) -> int:
    """Completions of a prompt: at least two, and whole groups over all processes."""
    most = max(2, size)
    return processes if processes > most else most - most % processes or processes


def _number(arguments: Mapping[str, Any], name: str, default: int) -> int:
    value = arguments.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def types_of(kind: type) -> dict[str, Any]:
    """The arguments that a config class takes, with their types."""
    return {field.name: field.type for field in dataclasses.fields(kind) if field.init}
