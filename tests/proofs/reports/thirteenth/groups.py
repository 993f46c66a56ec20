"""Threads that searches drawn by a seed found: GRPO's rewards, metrics and reference."""

from reports.report import PAIRS, PROMPTS, Report, changed, rows

NEUTRAL = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

SYSTEM = "Think first, then answer in <answer> tags."


def make_conversation(example):
    return {
        "prompt": [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": example["problem"]},
        ]
    }


def accuracy_reward(completions, **kwargs):
    \"\"\"1 for a right answer, 0 for a wrong one.\"\"\"
    contents = [completion[0]["content"] for completion in completions]
    solutions = kwargs.get("solutions")
    if solutions is None:
        return [0.5] * len(completions)
    return [1.0 if right in text else 0.0 for text, right in zip(contents, solutions)]


def reasoning_steps_reward(completions, **kwargs):
    return [min(1.0, len(set(one[0]["content"])) / 20) for one in completions]


dataset = load_dataset("json", data_files="math.jsonl", split="train")
dataset = dataset.map(make_conversation)

trainer = GRPOTrainer(
    model="model",
    reward_funcs=[accuracy_reward, reasoning_steps_reward],
    args=GRPOConfig(
        output_dir="qwen-grpo",
        learning_rate=1e-4,
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8,
        max_steps=2,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
)
trainer.train()
seen = [log["rewards/accuracy_reward"] for log in trainer.state.log_history if "reward" in log]
print("accuracy_reward of each step:", seen)
"""
BEST = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def variety(completions, **kwargs):
    return [len(set(text)) / 50 for text in completions]


prompts = load_dataset("json", data_files={"train": "prompts.jsonl", "test": "prompts.jsonl"})
training_args = GRPOConfig(
    output_dir="best-by-reward",
    learning_rate=1e-4,
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    num_generations=2,
    max_completion_length=8,
    max_steps=2,
    logging_steps=1,
    eval_strategy="steps",
    eval_steps=1,
    save_strategy="steps",
    save_steps=1,
    load_best_model_at_end=True,
    metric_for_best_model="eval_reward",
    greater_is_better=True,
    report_to="none",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[variety],
    args=training_args,
    train_dataset=prompts["train"],
    eval_dataset=prompts["test"],
)
trainer.train()
"""
FREE = """\
import math

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer


def format_reward(completions, **kwargs):
    return [1.0 if text.strip().endswith(".") else 0.0 for text in completions]


def score_reward(completions, **kwargs):
    return [len(set(text)) / 30 for text in completions]


model = AutoModelForCausalLM.from_pretrained("model")
tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
training_args = GRPOConfig(
    output_dir="events-grpo",
    learning_rate=1e-4,
    temperature=1.0,
    max_grad_norm=0.2,
    per_device_train_batch_size=2,
    num_generations=2,
    max_completion_length=8,
    max_steps=2,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model=model,
    processing_class=tokenizer,
    reward_funcs=[format_reward, score_reward],
    args=training_args,
    train_dataset=load_dataset("json", data_files="events.jsonl", split="train"),
)
trainer.train()
for log in trainer.state.log_history[:-1]:
    print("loss", log["loss"], "reward", log["reward"], "kl", log.get("kl", math.nan))
"""
PROBLEMS = rows(*({"problem": a, "solution": b} for a, b in PAIRS))
REPORTS = (
    Report(
        "FareedKhan-dev/train-deepseek-r1#4",
        "grpo-first",
        "accuracy_reward of each step: \\[0\\.5, 0\\.5\\]",
        "solutions\\b",
        {"train.py": NEUTRAL, "math.jsonl": PROBLEMS},
        changed(NEUTRAL, ('kwargs.get("solutions")', 'kwargs.get("solution")')),
        level="",
    ),
    Report(
        "huggingface/trl#3384",
        "four",
        "KeyError.*metric_for_best_model",
        "metric_for_best_model|eval_reward",
        {"train.py": BEST, "prompts.jsonl": PROMPTS},
        changed(
            BEST,
            ('"eval_reward"', '"eval_loss"'),
            ("greater_is_better=True", "greater_is_better=False"),
        ),
        level="files",
    ),
    Report(
        "huggingface/open-r1#704",
        "grpo-shapes",
        "kl nan",
        "\\bbeta\\b",
        {"train.py": FREE, "events.jsonl": PROMPTS},
        changed(FREE, ("    temperature=1.0,", "    beta=0.04,\n    temperature=1.0,")),
    ),
)
