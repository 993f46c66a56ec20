"""The arguments that a probe gets: all of the run's, or the known ones if the probe reads no
others."""

from __future__ import annotations

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.partly import Partly

QUIET = frozenset([
    "output_dir", "overwrite_output_dir", "logging_dir", "run_name", "report_to", "hub_model_id",
    "hub_strategy", "hub_token", "hub_private_repo", "hub_revision", "push_to_hub", "do_train",
    "do_eval", "do_predict", "eval_on_start", "eval_strategy", "evaluation_strategy",
    "eval_steps", "eval_delay", "save_strategy", "save_steps", "save_total_limit",
    "save_only_model", "load_best_model_at_end", "metric_for_best_model", "greater_is_better",
    "resume_from_checkpoint", "logging_strategy", "logging_steps", "logging_first_step",
    "log_level", "disable_tqdm", "log_completions", "seed", "data_seed", "dataset_name",
    "dataset_config", "dataset_streaming", "reward_funcs", "env", "project", "trackio_space_id",
])  # fmt: skip
"""Arguments that no probe reads: where a run saves and reports, and data that is not local."""

SIZES = frozenset([
    "num_train_epochs", "max_steps", "gradient_accumulation_steps", "per_device_eval_batch_size",
    "dataloader_num_workers", "dataloader_prefetch_factor", "dataloader_persistent_workers",
    "lr_scheduler_type", "lr_scheduler_kwargs", "warmup_ratio", "warmup_steps",
    "dataset_num_proc", "auto_find_batch_size", "deepspeed", "fsdp", "fsdp_config",
    "ddp_find_unused_parameters", "ddp_timeout", "local_rank", "torch_compile", "tf32",
    "num_sample_generations", "total_episodes",
])  # fmt: skip
"""Arguments that a small step sets itself."""


OF_GPUS = frozenset({"bf16", "fp16", "bf16_full_eval", "fp16_full_eval", "use_cpu", "no_cuda"})
"""Arguments that a step on the CPU sets itself: `bf16=torch.cuda.is_available()`."""


def known_arguments(facts: Facts) -> dict[str, Json]:
    """The run's arguments by name; raises `Unavailable` if an argument that matters is unknown."""
    arguments = facts.run.arguments
    if not isinstance(arguments, Partly):
        return dict(arguments)
    conditions = facts.probes.conditions
    harmless = QUIET if conditions.level == "full" else QUIET | SIZES
    if conditions.device == "cpu":
        harmless |= OF_GPUS
    for key, reason in arguments.unknown.items():
        if key not in harmless:
            raise reason
    if arguments.rest is not None:
        raise Unavailable(f"not all arguments are known: {arguments.rest}")
    for value in arguments.values():
        for reason in value.reasons() if isinstance(value, Partly) else ():
            raise reason
    return arguments.settled()
