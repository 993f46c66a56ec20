"""Threads of a sixteenth list: rewards and metrics."""

from reports.report import TEXT, Report, changed, rows

GROUND_TRUTHS = """\
import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def correctness_reward(completions, ground_truths):
    rewards = []
    for completion, truth in zip(completions, ground_truths):
        match = re.search(r"\\\\boxed\\{(.+?)\\}", completion)
        if match and match.group(1).strip() == truth.strip():
            rewards.append(1.0)
        else:
            rewards.append(0.5 if truth.strip() in completion else len(completion) / 1000)
    return rewards


def main():
    dataset = load_dataset("json", data_files="gsm.jsonl", split="train")
    dataset = dataset.map(lambda x: {"prompt": f"Solve it: {x['question']}"})
    config = GRPOConfig(
        output_dir="results/trl_baseline",
        num_generations=4,
        per_device_train_batch_size=4,
        max_completion_length=16,
        max_steps=1,
        learning_rate=1e-4,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    trainer = GRPOTrainer(
        model="model",
        reward_funcs=[correctness_reward],
        args=config,
        train_dataset=dataset,
    )
    trainer.train()


if __name__ == "__main__":
    main()
"""
ANSWERED = rows(*({"question": f"What is {n} plus {n}?", "answer": f"{2 * n}"} for n in range(8)))
SKELETON = """\
import argparse

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer


def reward_fn(completions, **kwargs):
    return [float(len(set(one))) for one in completions]


def train(args):
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = AutoModelForCausalLM.from_pretrained(args.model)
    dataset = load_dataset("json", data_files=args.data, split="train")
    config = GRPOConfig(
        output_dir=args.output,
        model_name=args.model,
        num_sample_generations=4,
        per_device_train_batch_size=4,
        max_completion_length=16,
        learning_rate=args.lr,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    trainer = GRPOTrainer(
        model=model,
        args=config,
        reward_funcs=reward_fn,
        train_dataset=dataset,
        processing_class=tokenizer,
    )
    trainer.train()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="model")
    parser.add_argument("--data", default="tasks.jsonl")
    parser.add_argument("--output", default="outputs/grpo")
    parser.add_argument("--lr", type=float, default=1e-4)
    train(parser.parse_args())
"""
TASKS = rows(*({"prompt": f"Find paper {n} about the sea."} for n in range(8)))
METRICS = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)
facts = load_dataset("json", data_files="facts.jsonl", split="train")


def preprocess_logits_for_metrics(logits, labels):
    return logits.argmax(dim=-1)


def compute_metrics(eval_preds):
    preds, labels = eval_preds
    kept = labels != -100
    return {"accuracy": float((preds == labels)[kept].mean())}


args = SFTConfig(
    output_dir="facts",
    per_device_train_batch_size=4,
    per_device_eval_batch_size=4,
    max_steps=60,
    learning_rate=1e-2,
    lr_scheduler_type="constant",
    eval_strategy="steps",
    eval_steps=60,
    logging_steps=20,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = SFTTrainer(
    model=model,
    args=args,
    train_dataset=facts,
    eval_dataset=facts,
    processing_class=tokenizer,
    compute_metrics=compute_metrics,
    preprocess_logits_for_metrics=preprocess_logits_for_metrics,
)
trainer.train()
result = trainer.evaluate()
learnt = result["eval_loss"] < 0.5
print("the texts are learnt and the accuracy is low:", learnt and result["eval_accuracy"] < 0.5)
"""
REPORTS = (
    Report(
        "cisco-ai-defense/defenseclaw#679",
        "current",
        "unexpected keyword argument 'prompts'",
        "ground_truths|kwargs",
        {"train.py": GROUND_TRUTHS, "gsm.jsonl": ANSWERED},
        changed(
            GROUND_TRUTHS,
            ("reward(completions, ground_truths):", "reward(completions, answer, **kwargs):"),
            ("zip(completions, ground_truths)", "zip(completions, answer)"),
        ),
    ),
    Report(
        "Algorineko/AgenticArXiv-RL#15",
        "current",
        "unexpected keyword argument 'model_name'",
        "model_name|num_sample_generations",
        {"train.py": SKELETON, "tasks.jsonl": TASKS},
        changed(
            SKELETON,
            ("        model_name=args.model,\n", ""),
            ("num_sample_generations=4", "num_generations=4"),
        ),
    ),
    Report(
        "unslothai/unsloth#2257",
        "current",
        "the texts are learnt and the accuracy is low: True",
        "compute_metrics|shift|next token|one token",
        {"train.py": METRICS, "facts.jsonl": TEXT},
        changed(
            METRICS,
            (
                "    kept = labels != -100\n",
                "    preds, labels = preds[:, :-1], labels[:, 1:]\n    kept = labels != -100\n",
            ),
        ),
    ),
)
