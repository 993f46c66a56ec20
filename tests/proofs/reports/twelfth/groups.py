"""Threads that searches drawn by a seed found: GRPO and PPO."""

from reports.report import PAIRS, PROMPTS, Report, changed, rows

SAMPLER = """\
import torch
from datasets import load_dataset
from torch.utils.data import Sampler
from trl import GRPOConfig, GRPOTrainer


class RepeatedSampler(Sampler):
    \"\"\"Each prompt is given as often as it is answered.\"\"\"

    def __init__(self, data_source, times, seed=0):
        self.data_source, self.times = data_source, times
        self.generator = torch.Generator().manual_seed(seed)

    def __iter__(self):
        order = torch.randperm(len(self.data_source), generator=self.generator).tolist()
        return iter([index for index in order for _ in range(self.times)])

    def __len__(self):
        return len(self.data_source) * self.times


class GSMTrainer(GRPOTrainer):
    def _get_train_sampler(self):
        return RepeatedSampler(self.train_dataset, self.num_generations, self.args.seed)


def correctness(completions, answer, **kwargs):
    return [float(a in text) + len(set(text)) / 50 for a, text in zip(answer, completions)]


trainer = GSMTrainer(
    model="model",
    reward_funcs=[correctness],
    args=GRPOConfig(
        output_dir="cppo-gsm",
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8,
        learning_rate=1e-4,
        max_steps=1,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="gsm.jsonl", split="train"),
)
trainer.train()
"""
RIGHT = """\
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl import PPOConfig, PPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="right")
policy = AutoModelForCausalLM.from_pretrained("model")
ref_policy = AutoModelForCausalLM.from_pretrained("model")
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
value_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)

dataset = load_dataset("json", data_files="rows.jsonl", split="train")
dataset = dataset.map(
    lambda row: {"input_ids": tokenizer(row["prompt"])["input_ids"]},
    remove_columns=dataset.column_names,
)
training_args = PPOConfig(
    output_dir="outputs-ppo",
    learning_rate=1e-5,
    per_device_train_batch_size=2,
    gradient_accumulation_steps=1,
    num_mini_batches=1,
    total_episodes=2,
    response_length=8,
    num_sample_generations=0,
    stop_token="eos",
    missing_eos_penalty=1.0,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = PPOTrainer(
    training_args,
    tokenizer,
    policy,
    ref_policy,
    reward_model,
    dataset,
    value_model,
    eval_dataset=dataset,
)
trainer.train()
queries = next(iter(trainer.get_train_dataloader()))["input_ids"]
ends = (queries[:, -1] == tokenizer.pad_token_id).sum().item()
print("prompts that end in padding, where the answer is to begin:", ends)
"""
QUESTIONS = rows(*({"prompt": a, "answer": b} for a, b in PAIRS))
REPORTS = (
    Report(
        "lzhxmu/CPPO#7",
        "current",
        "_get_train_sampler\\(\\) takes 1 positional argument but 2 were given",
        "_get_train_sampler",
        {"train.py": SAMPLER, "gsm.jsonl": QUESTIONS},
        changed(SAMPLER, ("_get_train_sampler(self)", "_get_train_sampler(self, dataset=None)")),
    ),
    Report(
        "shibing624/MedicalGPT#475",
        "ppo-first",
        "the answer is to begin: [1-9]",
        "padding_side|(left|right)[ -]padd|padd\\w* (on|at|to) the (left|right)",
        {"train.py": RIGHT, "rows.jsonl": PROMPTS},
        changed(RIGHT, ('padding_side="right"', 'padding_side="left"')),
    ),
)
