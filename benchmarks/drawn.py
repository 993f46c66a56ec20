"""Healthy runs drawn by a seed: trainer, model, template, rows and arguments."""

from __future__ import annotations

import random
from typing import Any

from drafts import Draft, make

HEALTHY = (
    "llama",
    "qwen2",
    "qwen3",
    "mistral",
    "gemma2",
    "phi3",
    "gpt2",
    "gpt_neox",
    "opt",
    "bloom",
    "qwen3_moe",
    "gemma3_text",
    "olmo2",
    "granite",
    "stablelm",
    "starcoder2",
    "falcon",
    "gptj",
    "smollm3",
)
PLAIN = (
    "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + "
    "'<|im_end|>' }}{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}"
)
STRICT = "{% if messages[0]['role'] != 'user' %}{{ raise_exception('user first') }}{% endif %}"
MARKED = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' }}"
    "{% if message['role'] == 'assistant' %}{% generation %}{{ message['content'] + "
    "'<|im_end|>' }}{% endgeneration %}{% else %}{{ message['content'] + '<|im_end|>' }}"
    "{% endif %}{{ '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
THINKS = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' }}"
    "{% if message['role'] == 'assistant' and not loop.last %}"
    "{{ message['content'].split('</think>')[-1] }}{% else %}{{ message['content'] }}{% endif %}"
    "{{ '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n<think>\\n' }}{% endif %}"
)
CHANNELS = (
    "{% for message in messages %}{{ '<|start|>' + message['role'] }}"
    "{% if message['role'] == 'assistant' %}{{ '<|channel|>final' }}{% endif %}"
    "{{ '<|message|>' + message['content'] }}"
    "{{ '<|return|>' if loop.last and message['role'] == 'assistant' else '<|end|>' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|start|>assistant' }}{% endif %}"
)
TEMPLATES = (make.CHATML, make.CHATML, PLAIN, STRICT + make.CHATML, MARKED, THINKS, CHANNELS)
LONGER = "äöü 你好 🙂 \\boxed{42}"
WORDS = [
    *("count", "the", "boats", "and", "say", "how", "many"),
    *("came", "home", "before", "noon", "one", "two", "three"),
]


def draft(
    source: random.Random, trainers: list[str], models: list[str], reward_funcs: bool
) -> Draft:
    """A run that should be well, drawn from what people do; models are those that can be made."""
    trainer = source.choice(trainers)
    conversational = source.random() < 0.6 and trainer != "ppo"
    healthy = [name for name in HEALTHY if name in models]
    result = Draft(source, trainer, source.choice(healthy), conversational)
    template = source.choice(TEMPLATES)
    result.files["tokenizer_config.json"] = {"chat_template": template}
    result.kind = source.choice(["bpe", "bpe", "unigram"])
    if template == CHANNELS:
        result.kind, result.named = "channels", {"eos_token": "<|return|>"}
    shape = source.choice(SHAPES.get(trainer, ("",)))
    count = source.randint(6, 14)
    rows = [row(source, trainer, conversational, shape) for _ in range(count + 3)]
    if source.random() < 0.3:
        rows = [{**fields, "id": at, "source": LONGER} for at, fields in enumerate(rows)]
    result.rows, result.test_rows = rows[:count], rows[count:]
    formats = ["jsonl", "jsonl", "json", "parquet"]
    result.rows_as = source.choice(formats if conversational else [*formats, "csv"])
    result.arguments = arguments(source, trainer, reward_funcs)
    if trainer == "reward" and source.random() < 0.7:
        result.architecture = source.choice(["llama-scorer", "qwen2-scorer"])
    return result


def text(source: random.Random) -> str:
    """A few words."""
    return " ".join(source.choice(WORDS) for _ in range(source.randint(3, 9)))


SHAPES = {
    "sft": ("", "", "prompt"),
    "kto": ("", "", "pairs"),
    "dpo": ("", "", "implicit"),
    "reward": ("", "implicit"),
    "grpo": ("", "answer"),
}
"""Other columns that a trainer also takes, by what they are called here."""


def row(
    source: random.Random, trainer: str, conversational: bool, shape: str = ""
) -> dict[str, Any]:
    """A row as the trainer takes it."""

    def turn(role: str) -> Any:
        return [{"role": role, "content": text(source)}] if conversational else text(source)

    prompt: dict[str, Any] = {"prompt": turn("user")}
    both = {"chosen": turn("assistant"), "rejected": turn("assistant")}
    if shape == "implicit" and conversational:
        return {name: prompt["prompt"] + answer for name, answer in both.items()}
    if trainer in ("dpo", "reward") or shape == "pairs":
        return both if shape == "implicit" else {**prompt, **both}
    if trainer == "kto":
        return {**prompt, "completion": turn("assistant"), "label": source.random() < 0.5}
    if shape == "prompt":
        return {**prompt, "completion": turn("assistant")}
    if trainer == "sft" and conversational:
        return {"messages": prompt["prompt"] + turn("assistant")}
    if trainer == "sft":
        return {"text": text(source)}
    return {**prompt, "answer": text(source)} if shape == "answer" else prompt


def arguments(source: random.Random, trainer: str, reward_funcs: bool) -> dict[str, Any]:
    """run.yaml of a small run."""
    result: dict[str, Any] = {
        "model_name_or_path": "HERE/model",
        "dataset_name": "HERE/data",
        "output_dir": "HERE/out",
        "report_to": "none",
        "per_device_train_batch_size": 2,
        "max_steps": source.choice([1, 2, 3]),
        "logging_steps": 1,
        "bf16": False,
        "save_strategy": source.choice(["no", "no", "steps", "epoch"]),
        "learning_rate": source.choice([1e-5, 5.0e-6, "1e-6", 0.001]),
    }
    several = {
        "lr_scheduler_type": ["linear", "cosine", "constant_with_warmup", "polynomial"],
        "warmup_steps": [0, 1, 5],
        "weight_decay": [0.0, 0.1],
        "max_grad_norm": [1.0, 0.2],
        "seed": [1, 42],
        "optim": ["adamw_torch", "adafactor", "sgd"],
        "gradient_checkpointing": [True, False],
        "gradient_accumulation_steps": [1, 2],
        "dataloader_drop_last": [True, False],
        "eval_strategy": ["no", "steps"],
        "attn_implementation": ["eager", "sdpa"],
        "logging_first_step": [True, False],
    }
    for key, values in several.items():
        if source.random() < 0.3:
            result[key] = source.choice(values)
    if result.get("eval_strategy") == "steps":
        result |= {"eval_steps": 2, "per_device_eval_batch_size": 2}
    return result | own(source, trainer, reward_funcs)


def own(source: random.Random, trainer: str, reward_funcs: bool) -> dict[str, Any]:
    """The arguments of one trainer."""
    result: dict[str, Any] = {}
    if trainer in ("grpo", "rloo"):
        result |= {"num_generations": 2, "max_completion_length": source.choice([8, 16, 24])}
        if reward_funcs:
            names = source.choice([["length"], ["length", "words"]])
            result["reward_funcs"] = [f"my_rewards.{name}" for name in names]
        else:
            result["reward_model_name_or_path"] = "HERE/reward"
        optional: dict[str, list[Any]] = {"temperature": [0.7, 1.0], "beta": [0.0, 0.04]}
    elif trainer == "ppo":
        result |= {"reward_model_path": "HERE/reward", "sft_model_path": "HERE/model",
                   "response_length": 12, "total_episodes": 4, "num_ppo_epochs": 1,
                   "num_mini_batches": 1, "stop_token": "eos", "missing_eos_penalty": 1.0,
                   "num_sample_generations": 0}  # fmt: skip
        optional = {
            "kl_coef": [0.05],
            "temperature": [0.7],
            "cliprange": [0.1],
            "whiten_rewards": [False],
        }
    elif trainer == "sft":
        optional = {"packing": [False]}
    elif trainer == "dpo":
        optional = {"beta": [0.1, 0.5], "loss_type": ["sigmoid", "ipo"], "label_smoothing": [0.0]}
    elif trainer == "kto":
        optional = {"beta": [0.1], "desirable_weight": [1.0, 1.3]}
    else:
        optional = {"center_rewards_coefficient": [0.01]}
    for key, values in optional.items():
        if source.random() < 0.4:
            result[key] = source.choice(values)
    return result
