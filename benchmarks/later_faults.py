"""Slightly wrong things that were thought of after the rules: `--every 1 --catalogue later`."""

from __future__ import annotations

from changes import Change, appended, argument, in_file, reward, rows, several

PEFT = {"use_peft": True, "lora_r": 4, "lora_target_modules": "all-linear"}
BEST = {"load_best_model_at_end": True, "eval_strategy": "steps", "eval_steps": 1,
        "save_strategy": "steps", "save_steps": 1}  # fmt: skip

LATER: list[Change] = [
    argument("per_device_train_batch_size", 0),
    argument("gradient_accumulation_steps", 0),
    several("no epochs", {"max_steps": -1, "num_train_epochs": 0}, silent=True),
    argument("logging_steps", 0),
    several("save_steps 0", {"save_strategy": "steps", "save_steps": 0}),
    argument("gradient_checkpointing_kwargs", "use_reentrant=False"),
    argument("dataset_num_proc", 0, "sft", "dpo", "kto", "reward"),
    argument("dataloader_prefetch_factor", 2),
    argument("dataloader_persistent_workers", True),
    argument("dataloader_num_workers", -1),
    several("best by accuracy", {**BEST, "metric_for_best_model": "accuracy"}),
    argument("seed", -1),
    several("lora_dropout 2", {**PEFT, "lora_dropout": 2.0}),
    several("lora SEQ_CLS", {**PEFT, "lora_task_type": "SEQ_CLS"}, "sft", "dpo", "grpo"),
    several("lora all_linear", {**PEFT, "lora_target_modules": "all_linear"}),
    several("lora save", {**PEFT, "lora_modules_to_save": ["lm_headd"]}),
    argument("trust_remote_code", "please"),
    argument("ddp_backend", "ncll"),
    argument("fsdp", "full_shards"),
    argument("warmup_steps", -5),
    argument("adam_beta1", 1.5),
    argument("weight_decay", -0.1),
    argument("learning_rate", -1.0e-5),
    several("packing, no length", {"packing": True, "max_length": None}, "sft"),
    argument("padding_free", True, "sft", "dpo"),
    argument("scale_rewards", "sometimes", "grpo"),
    argument("importance_sampling_level", "tokens", "grpo"),
    argument("loss_type", "gspo", "grpo"),
    argument("epsilon", -1.0, "grpo"),
    argument("max_completion_length", -1, "grpo", "rloo"),
    argument("min_p", 2.0, "grpo", "rloo"),
    argument("repetition_penalty", 0.0, "grpo", "rloo"),
    argument("top_k", -5, "grpo", "rloo"),
    argument("sync_ref_model", True, "grpo", "dpo"),
    argument("chat_template_kwargs", "thinking", "grpo", "sft"),
    argument("f_divergence_type", "kl", "dpo"),
    argument("label_smoothing", 0.7, "dpo"),
    argument("loss_type", "hinge_", "kto"),
    argument("dataset_streaming", True),
    argument("torch_compile_mode", "fastest"),
    argument("neftune_noise_alpha", "five"),
    argument("max_length", "long", "sft", "dpo", "kto", "reward"),
    argument("eos_token", "", "sft"),
    rows("role agent", lambda row, at: turned(row, role="agent"), "agent", "role"),
    rows("content null", lambda row, at: turned(row, content=None), "content", "null", "None"),
    rows("content parts", lambda row, at: turned(row, content=[{"type": "text", "text": "a b"}]),
         "content", "parts", "list"),
    rows("numbers", lambda row, at: {key: at for key in row}, "number", "int", "str"),
    rows("label text", lambda row, at: {**row, "label": "good"} if "label" in row else None,
         "label"),
    rows("messages as text", lambda row, at: {key: str(cell) for key, cell in row.items()}
         if any(isinstance(cell, list) for cell in row.values()) else None, "text", "str"),
    in_file("tokenizer_config.json", "model_max_length", "512"),
    in_file("tokenizer_config.json", "chat_template", [{"name": "rag", "template": "x"}],
            words=("template",)),
    in_file("tokenizer_config.json", "added_tokens_decoder", {"5": {"content": "<|im_end|>"}}),
    in_file("tokenizer_config.json", "bos_token", {"content": 5}),
    in_file("config.json", "rope_scaling", {"type": "yarnn", "factor": 2.0},
            words=("rope", "yarnn")),
    in_file("config.json", "num_hidden_layers", 0),
    in_file("config.json", "vocab_size", "320"),
    in_file("config.json", "hidden_act", "siluu", words=("siluu",)),
    in_file("config.json", "rms_norm_eps", "1e-6"),
    in_file("config.json", "bos_token_id", 9999),
    in_file("config.json", "layer_types", ["full_attention"]),
    in_file("config.json", "head_dim", 7),
    in_file("config.json", "attention_dropout", 2.0),
    in_file("config.json", "initializer_range", "small"),
    in_file("generation_config.json", "max_length", "20"),
    in_file("generation_config.json", "do_sample", "true"),
    in_file("generation_config.json", "top_p", 2.0),
    appended("model/generation_config.json", ",", "json"),
    appended("model/tokenizer_config.json", "\u0000", "json"),
    appended("data/train.jsonl", "\n\n", "train"),
    appended("data/train.jsonl", '["a"]\n', "train"),
    appended("data/train.jsonl", '{"other": 1}\n', "other", "column"),
    reward("none", "def length(completions, **more):\n    return None\n", "none"),
    reward("dict", "def length(completions, **more):\n    return {'length': 1.0}\n", "dict"),
    reward("bools", "def length(completions, **more):\n    return [True for _ in completions]\n"),
    reward("class", "class length:\n    def __call__(self, completions, **more):\n"
           "        return [1.0 for _ in completions]\n", "length"),
    reward("content", "def length(completions, **more):\n"
           "    return [float(len(one[0]['content'])) for one in completions]\n", "content"),
    reward("nan", "def length(completions, **more):\n"
           "    return [float('nan') for _ in completions]\n", "nan"),
    reward("exit", "import sys\n\n\ndef length(completions, **more):\n    sys.exit(1)\n", "exit"),
]  # fmt: skip


def turned(row: dict[str, object], **changes: object) -> dict[str, object] | None:
    """The row with its last turn changed; None where it has no turns."""
    for key, value in reversed(row.items()):
        if isinstance(value, list):
            return {**row, key: [*value[:-1], {**value[-1], **changes}]}
    return None
