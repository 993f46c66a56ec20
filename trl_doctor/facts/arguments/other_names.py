"""Names of arguments in other programs, and TRL's names for the same arguments."""

from __future__ import annotations

OTHER_NAMES: dict[str, str] = {
    "use_lora": "use_peft",
    "lora_rank": "lora_r",
    "lora_target": "lora_target_modules",
    "lora_modules": "lora_target_modules",
    "target_modules": "lora_target_modules",
    "lr": "learning_rate",
    "learn_rate": "learning_rate",
    "epochs": "num_train_epochs",
    "num_epochs": "num_train_epochs",
    "num_epoch": "num_train_epochs",
    "max_epochs": "num_train_epochs",
    "max_train_steps": "max_steps",
    "num_train_steps": "max_steps",
    "batch_size": "per_device_train_batch_size",
    "per_device_batch_size": "per_device_train_batch_size",
    "per_gpu_batch_size": "per_device_train_batch_size",
    "per_gpu_train_batch_size": "per_device_train_batch_size",
    "per_gpu_eval_batch_size": "per_device_eval_batch_size",
    "micro_batch_size": "per_device_train_batch_size",
    "train_batch_size": "per_device_train_batch_size",
    "eval_batch_size": "per_device_eval_batch_size",
    "grad_accum": "gradient_accumulation_steps",
    "grad_acc": "gradient_accumulation_steps",
    "grad_acc_steps": "gradient_accumulation_steps",
    "grad_accum_steps": "gradient_accumulation_steps",
    "grad_accumulation": "gradient_accumulation_steps",
    "grad_accumulation_steps": "gradient_accumulation_steps",
    "gradient_accumulation": "gradient_accumulation_steps",
    "accumulation_steps": "gradient_accumulation_steps",
    "grad_clip": "max_grad_norm",
    "warmup_proportion": "warmup_ratio",
    "lr_scheduler": "lr_scheduler_type",
    "cutoff_len": "max_length",
    "max_len": "max_length",
    "max_seq_len": "max_length",
    "sequence_len": "max_length",
    "dataset_split": "dataset_train_split",
    "max_new_tokens": "max_completion_length",
    "flash_attention": "attn_implementation",
    "load_in_4_bit": "load_in_4bit",
}
"""Names in Axolotl, LLaMA-Factory, ms-swift and OpenRLHF, short names, and the names in TRL."""

UNCLEAR: dict[str, tuple[str, ...]] = {"warmup": ("warmup_steps", "warmup_ratio")}
"""Short names that can mean several arguments: what each sets depends on the value."""

ANOTHER_KIND = frozenset({"flash_attention"})
"""Names whose values differ too: renaming only the key would be wrong."""
