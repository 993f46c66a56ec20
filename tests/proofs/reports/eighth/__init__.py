"""Threads that plain searches gave: what a trainer and its config are called with."""

from dataclasses import replace

from reports.eighth import imports, rows
from reports.report import CHAT_PROMPTS, PREFERENCES, PROMPTS, Report, changed

NO_REWARD = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer


class StealthTrainer:
    def __init__(self, model, tokenizer, reward_fn, dataset, output_dir):
        self.model, self.tokenizer = model, tokenizer
        self.reward_fn = reward_fn
        training_args = GRPOConfig(
            output_dir=output_dir,
            per_device_train_batch_size=2,
            num_generations=2,
            max_completion_length=8,
            max_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        )
        self.trainer = GRPOTrainer(
            model=self.model,
            args=training_args,
            train_dataset=dataset,
            processing_class=self.tokenizer,
        )

    def train(self):
        self.trainer.train()


def detector_score(completions, **kwargs):
    return [float(len(text) % 5) for text in completions]


rows = load_dataset("json", data_files="rows.jsonl", split="train")
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
StealthTrainer(model, tokenizer, detector_score, rows, "out").train()
"""
ONE_ROW = """\
import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("json", data_files="rows.jsonl", split="train")


def format_reward_func(completions, **kwargs):
    contents = [completion[0]["content"] for completion in completions]
    return [1.0 if re.search(r"#### \\d+", text) else len(text) / 100 for text in contents]


training_args = GRPOConfig(
    output_dir="gsm8k",
    learning_rate=5e-6,
    lr_scheduler_type="cosine",
    logging_steps=1,
    per_device_train_batch_size=1,
    gradient_accumulation_steps=4,
    num_generations=6,
    max_prompt_length=256,
    max_completion_length=8,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[format_reward_func],
    args=training_args,
    train_dataset=dataset,
)
trainer.train()
"""
MODEL_REF = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer

model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model")
rows = load_dataset("json", data_files="rows.jsonl", split="train")
training_args = DPOConfig(output_dir="./output", beta=0.1, max_steps=1, report_to="none",
                          per_device_train_batch_size=2, save_strategy="no", use_cpu=True,
                          bf16=False)
dpo_trainer = DPOTrainer(
    model,
    model_ref=None,
    args=training_args,
    train_dataset=rows,
    processing_class=tokenizer,
)
dpo_trainer.train()
"""
PLAIN_ARGS = """\
from datasets import load_dataset
from transformers import TrainingArguments
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("json", data_files="rows.jsonl", split="train")


def format_reward(completions, **kwargs):
    return [float(len(str(completion)) % 3) for completion in completions]


training_args = TrainingArguments(output_dir="nextqa", per_device_train_batch_size=8, max_steps=1,
                                  report_to="none", save_strategy="no", use_cpu=True)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[format_reward],
    args=training_args,
    train_dataset=dataset,
)
trainer.train()
"""
THREADS = (
    Report(
        "suraj-ranganath/StealthRL#6",
        "current",
        "No reward source provided|positional argument: 'reward_funcs'",
        "reward_funcs",
        {"train.py": NO_REWARD, "rows.jsonl": PROMPTS},
        changed(
            NO_REWARD,
            (
                "            args=training_args",
                "            reward_funcs=self.reward_fn,\n            args=training_args",
            ),
        ),
        level="",
    ),
    Report(
        "Mohammadjafari80/GSM8K-RLVR#3",
        "grpo-first",
        "must be evenly divisible by the number of generations",
        "num_generations|generations",
        {"train.py": ONE_ROW, "rows.jsonl": CHAT_PROMPTS},
        changed(ONE_ROW, ("train_batch_size=1", "train_batch_size=6")),
    ),
    Report(
        "huggingface/trl#1494",
        "current",
        "unexpected keyword argument 'model_ref'",
        "model_ref",
        {"train.py": MODEL_REF, "rows.jsonl": PREFERENCES},
        changed(MODEL_REF, ("model_ref=", "ref_model=")),
    ),
    Report(
        "ZhangXJ199/TinyLLaVA-Video-R1#2",
        "grpo-first",
        "'TrainingArguments' object has no attribute",
        "TrainingArguments|GRPOConfig",
        {"train.py": PLAIN_ARGS, "rows.jsonl": PROMPTS},
        changed(
            PLAIN_ARGS,
            ("training_args = TrainingArguments(", "training_args = GRPOConfig(bf16=False, "),
        ),
    ),
)
REPORTS = tuple(
    replace(report, group="eighth") for report in (*THREADS, *imports.REPORTS, *rows.REPORTS)
)
