"""Threads of even number as fixed searches found them: GRPO."""

import json

from laid import ROOT

from reports.report import PROMPTS, Report, changed

STARTS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

model_name = "model"
tokenizer = AutoTokenizer.from_pretrained(model_name)
model = AutoModelForCausalLM.from_pretrained(model_name)
dataset = load_dataset("json", data_files="rows.jsonl", split="train")


def reward_func(prompts, completions, **kwargs):
    for prompt, completion in zip(prompts, completions):
        print("PROMPT:", repr(prompt), "COMPLETION:", repr(completion))
    return [float(len(set(completion.split()))) for completion in completions]


training_args = GRPOConfig(
    output_dir="grpo_test",
    per_device_train_batch_size=2,
    num_generations=2,
    max_prompt_length=64,
    max_completion_length=8,
    max_steps=1,
    logging_steps=1,
    temperature=1.0,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = GRPOTrainer(
    model=model,
    reward_funcs=reward_func,
    args=training_args,
    train_dataset=dataset,
    processing_class=tokenizer,
)
seen = trainer._generate_and_score_completions(next(iter(trainer.get_train_dataloader())))
print("prompts with a bos:", (seen["prompt_ids"] == tokenizer.bos_token_id).any(1).sum().item())
trainer.train()
"""
ON_START = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.train_test_split(test_size=2, seed=42)


def reward_len(completions, **kwargs):
    return [-abs(20 - len(completion)) for completion in completions]


training_args = GRPOConfig(
    output_dir="Qwen2-0.5B-GRPO",
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    num_generations=2,
    max_completion_length=8,
    max_steps=1,
    loss_type="bnpo",
    eval_strategy="steps",
    eval_steps=1,
    eval_on_start=True,
    report_to="none",
    save_strategy="no",
    bf16=False,
    use_cpu=True,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=reward_len,
    args=training_args,
    train_dataset=dataset["train"],
    eval_dataset=dataset["test"],
)
trainer.train()
"""
PICTURES = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("parquet", data_files="rows.parquet", split="train")


def several(row):
    return {"images": [row["image"], row["image"]]}


dataset = dataset.map(several, remove_columns=["image"])


# rewards completions that are close to 20 characters
def reward_len(completions, **kwargs):
    return [-abs(20 - len(completion[0]["content"])) for completion in completions]


training_args = GRPOConfig(
    output_dir="Llava7b-GRPO",
    per_device_train_batch_size=2,
    num_generations=2,
    max_prompt_length=None,
    max_completion_length=8,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    bf16=False,
    use_cpu=True,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=reward_len,
    args=training_args,
    train_dataset=dataset,
)
trainer.train()
"""
BOS = "<|endoftext|>"
ADDS_BOS = {
    "type": "TemplateProcessing",
    "single": [
        {"SpecialToken": {"id": BOS, "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    ],
    "pair": [
        {"SpecialToken": {"id": BOS, "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": BOS, "type_id": 1}},
        {"Sequence": {"id": "B", "type_id": 1}},
    ],
    "special_tokens": {BOS: {"id": BOS, "ids": [296], "tokens": [BOS]}},
}
HEALTHY = ROOT / "fixtures/models/healthy"
STARTED = {
    f"model/{name}": json.dumps({**json.loads((HEALTHY / name).read_text()), **keys})
    for name, keys in (
        ("tokenizer.json", {"post_processor": ADDS_BOS}),
        ("tokenizer_config.json", {"bos_token": BOS}),
        ("config.json", {"bos_token_id": 296}),
    )
}
REPORTS = (
    Report(
        "huggingface/trl#3520",
        "grpo-shapes",
        "prompts with a bos: 0",
        r"texts without <\|endoftext\|>",
        {"train.py": STARTS, "rows.jsonl": PROMPTS, **STARTED},
        changed(
            STARTS,
            (
                'split="train")\n',
                'split="train")\n'
                "dataset = dataset.map(\n"
                '    lambda row: {"prompt": tokenizer.bos_token + row["prompt"]}\n)\n',
            ),
        ),
        level="tiny",
    ),
    Report(
        "huggingface/trl#4010",
        "four",
        "no attribute 'current_gradient_accumulation_steps'",
        "eval_on_start",
        {"train.py": ON_START, "rows.jsonl": PROMPTS},
        changed(ON_START, ("    eval_on_start=True,\n", "")),
        level="",
    ),
    Report(
        "huggingface/trl#4488",
        "vision-four",
        "Image features and image tokens do not match",
        "several images|more than one image",
        {"train.py": PICTURES},
        changed(PICTURES, ('[row["image"], row["image"]]', '[row["image"]]')),
        sees="llava grpo",
        level="",
    ),
)
