"""Names of arguments in other programs, and TRL's names for the same arguments."""

from __future__ import annotations

OTHER_NAMES: dict[str, str] = {
    "use_lora": "use_peft",
    "lora_rank": "lora_r",
    "lora_target": "lora_target_modules",
    "lora_modules": "lora_target_modules",
    "target_modules": "lora_target_modules",
    "lr": "learning_rate",
    "epochs": "num_train_epochs",
    "num_epochs": "num_train_epochs",
    "batch_size": "per_device_train_batch_size",
    "micro_batch_size": "per_device_train_batch_size",
    "train_batch_size": "per_device_train_batch_size",
    "eval_batch_size": "per_device_eval_batch_size",
    "grad_accum": "gradient_accumulation_steps",
    "grad_accumulation_steps": "gradient_accumulation_steps",
    "lr_scheduler": "lr_scheduler_type",
    "cutoff_len": "max_length",
    "sequence_len": "max_length",
    "max_new_tokens": "max_completion_length",
    "flash_attention": "attn_implementation",
    "load_in_4_bit": "load_in_4bit",
}
"""Names in Axolotl, LLaMA-Factory, ms-swift and OpenRLHF, and the names in TRL."""


ANOTHER_KIND = frozenset({"flash_attention"})
"""Names whose values differ too: renaming only the key would be wrong."""
