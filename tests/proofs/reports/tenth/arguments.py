"""Threads that searches for errors found: what configs and trainers are called with."""

from reports.report import PREFERENCES, PROMPTS, Report, changed

REFERENCE = """\
import torch
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import DPOConfig, DPOTrainer

model_id = "model"
tokenizer = AutoTokenizer.from_pretrained(model_id)
dataset = load_dataset("json", data_files="rows.jsonl", split="train")

init_kwargs = {"dtype": torch.float32, "attn_implementation": "eager"}
training_args = DPOConfig(
    output_dir="dpo",
    model_init_kwargs=init_kwargs,
    ref_model_init_kwargs=init_kwargs,
    per_device_train_batch_size=2,
    learning_rate=5e-7,
    max_length=128,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = DPOTrainer(
    model=model_id,
    args=training_args,
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
"""
METRICS = """\
import re

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

OUTPUT_DIR = "outputs"


def extract_answer_from_model_output(text):
    match = re.search(r"<answer>(.*?)</answer>", text, re.DOTALL)
    return match.group(1).strip() if match else None


def length_reward(completions, **kwargs):
    return [len(completion) / 100 for completion in completions]


def compute_metrics(eval_preds):
    predictions, label_ids = eval_preds
    if isinstance(predictions, list):
        extracted = [extract_answer_from_model_output(pred[0]["content"]) for pred in predictions]
    else:
        extracted = predictions
    right = [one == two for one, two in zip(extracted, label_ids)]
    return {"eval_accuracy": sum(right) / max(1, len(right))}


model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
data = load_dataset("json", data_files="rows.jsonl", split="train")
data = data.train_test_split(test_size=0.5, seed=0)

train_args = GRPOConfig(
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    gradient_accumulation_steps=1,
    learning_rate=2e-4,
    max_steps=1,
    lr_scheduler_type="cosine",
    warmup_ratio=0.05,
    max_grad_norm=0.3,
    logging_steps=10,
    save_strategy="no",
    output_dir=OUTPUT_DIR,
    report_to="none",
    max_prompt_length=128,
    max_completion_length=8,
    num_generations=2,
    use_vllm=False,
    eval_steps=1,
    eval_strategy="steps",
    use_cpu=True,
)
trainer = GRPOTrainer(
    model=model,
    processing_class=tokenizer,
    reward_funcs=[length_reward],
    args=train_args,
    train_dataset=data["train"],
    eval_dataset=data["test"],
    compute_metrics=compute_metrics,
)
trainer.train()
"""
BEST = """\
from datasets import load_dataset
from transformers import EarlyStoppingCallback
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("json", data_files="rows.jsonl", split="train")
split = dataset.train_test_split(test_size=0.5, seed=42)


def reward_num_unique_chars(prompts, completions, **kwargs):
    return [float(len(set(completion))) for completion in completions]


training_args = GRPOConfig(
    output_dir="grpo-best",
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    num_generations=2,
    max_completion_length=8,
    max_steps=1,
    logging_steps=1,
    eval_strategy="steps",
    eval_steps=1,
    save_strategy="steps",
    save_steps=1,
    save_total_limit=1,
    load_best_model_at_end=True,
    metric_for_best_model="eval_reward",
    greater_is_better=True,
    report_to="none",
    use_cpu=True,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=reward_num_unique_chars,
    args=training_args,
    train_dataset=split["train"],
    eval_dataset=split["test"],
    callbacks=[EarlyStoppingCallback(early_stopping_patience=2)],
)
trainer.train()
"""
PARTS = """\
from datasets import load_dataset
from transformers import AutoModelForImageTextToText, AutoProcessor
from trl import SFTConfig, SFTTrainer

processor = AutoProcessor.from_pretrained("model")
model = AutoModelForImageTextToText.from_pretrained("model")

system_message = "You are a Vision Language Model that reads charts."
dataset = load_dataset("parquet", data_files="rows.parquet", split="train")


def format_data(sample):
    return {
        "images": [sample["image"]],
        "messages": [
            {"role": "system", "content": [{"type": "text", "text": system_message}]},
            {
                "role": "user",
                "content": [
                    {"type": "image", "image": sample["image"]},
                    {"type": "text", "text": sample["prompt"][0]["content"]},
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "It is a chart."}]},
        ],
    }


train_dataset = dataset.map(format_data, remove_columns=["image", "prompt"])
training_args = SFTConfig(
    output_dir="smolvlm-instruct-trl-sft-ChartQA",
    per_device_train_batch_size=1,
    gradient_accumulation_steps=1,
    learning_rate=1e-4,
    max_length=None,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=model,
    args=training_args,
    train_dataset=train_dataset,
    processing_class=processor,
)
trainer.train()
"""
ASKED = """\
[
                    {"type": "image", "image": sample["image"]},
                    {"type": "text", "text": sample["prompt"][0]["content"]},
                ],
"""
REPORTS = (
    Report(
        "huggingface/trl#5265",
        "current",
        "unexpected keyword argument 'ref_model_init_kwargs'",
        "ref_model_init_kwargs",
        {"train.py": REFERENCE, "rows.jsonl": PREFERENCES},
        changed(REFERENCE, ("    ref_model_init_kwargs=init_kwargs,\n", "")),
    ),
    Report(
        "huggingface/trl#3729",
        "grpo-shapes",
        "unexpected keyword argument 'compute_metrics'",
        "compute_metrics",
        {"train.py": METRICS, "rows.jsonl": PROMPTS},
        changed(METRICS, ("    compute_metrics=compute_metrics,\n", "")),
    ),
    Report(
        "huggingface/trl#5811",
        "grpo-shapes",
        "KeyError: .*eval_reward",
        "metric_for_best_model",
        {"train.py": BEST, "rows.jsonl": PROMPTS},
        changed(
            BEST,
            ('"eval_reward"', '"eval_loss"'),
            ("greater_is_better=True", "greater_is_better=False"),
        ),
    ),
    Report(
        "huggingface/smol-course#298",
        "vision",
        "does not match number of image placeholders \\(0\\)",
        "content.{0,80}image|image.{0,80}(content|part|twice|already)",
        {"train.py": PARTS},
        changed(
            PARTS,
            ('[{"type": "text", "text": system_message}]', "system_message"),
            (ASKED, 'sample["prompt"][0]["content"],\n'),
            ('[{"type": "text", "text": "It is a chart."}]', '"It is a chart."'),
        ),
        level="",
        sees="gemma3 grpo",
    ),
)
