"""The arguments that every step sets, caps or leaves out, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SMALL = "one small step is enough"
QUIET = "a dry run saves and reports nothing"
SEEN = "so that one step has an effect"
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


def caps(types: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """The caps of a config class: where nothing is sampled, `max_completion_length` cuts the
    answers of the rows (DPO, KTO, ORPO), and a small one would cut off their ends."""
    generates = "temperature" in types
    return {name: cap for name, cap in CAPS.items() if generates or name != "max_completion_length"}


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
