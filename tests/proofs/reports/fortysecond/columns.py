"""Threads of a forty-second list: what a reward function is given, and that there is one."""

from reports.report import PAIRS, Report, changed, rows

ASKED = rows(
    *({"problem": f"What is {n} times {n}?", "answer": f"${n * n}$"} for n in range(2, 10))
)
SCRIPT = '''\
"""GRPO of mathematics, after a recipe."""

from datasets import load_dataset
from math_verify import LatexExtractionConfig, parse, verify
from trl import GRPOConfig, GRPOTrainer

SYSTEM_PROMPT = "Please reason step by step, and put the final answer into \\\\boxed{}."


def make_conversation(example):
    return {
        "prompt": [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": example["problem"]},
        ]
    }


def accuracy_reward(completions, solution, **kwargs):
    """1 if the answer is the solution; nothing where the solution cannot be read."""
    contents = [completion[0]["content"] for completion in completions]
    rewards = []
    for content, sol in zip(contents, solution):
        gold = parse(sol, extraction_config=[LatexExtractionConfig()], parsing_timeout=None)
        if not gold:
            rewards.append(None)
            continue
        answer = parse(content, extraction_config=[LatexExtractionConfig()], parsing_timeout=None)
        rewards.append(float(verify(gold, answer, timeout_seconds=None)))
    return rewards


dataset = load_dataset("json", data_files="demo.jsonl", split="train").map(make_conversation)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[accuracy_reward],
    args=GRPOConfig(
        output_dir="data/demo",
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=16,
        learning_rate=2e-5,
        logging_steps=1,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
)
trainer.train()
'''
LIGAMENTS = '''\
"""GRPO for a better alignment of short answers."""

import torch
from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoTokenizer
from trl.trainer.grpo_trainer import GRPOConfig, GRPOTrainer

model_name = "model"
output_model = "ligaments-grpo"

dataset = load_dataset("json", data_files="preferences.jsonl", split="train")
dataset_split = dataset.train_test_split(test_size=0.25, seed=42)
train_dataset = dataset_split["train"]
eval_dataset = dataset_split["test"]

tokenizer = AutoTokenizer.from_pretrained(model_name)
if tokenizer.pad_token is None:
    tokenizer.pad_token = tokenizer.eos_token

config = GRPOConfig(
    output_dir=output_model,
    num_train_epochs=1,
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    num_generations=2,
    max_completion_length=16,
    learning_rate=5e-6,
    max_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)


# Initialize GRPO trainer
trainer = GRPOTrainer(
    model=model_name,
    train_dataset=train_dataset,
    eval_dataset=eval_dataset,
    peft_config=LoraConfig(
        r=16,
        lora_alpha=32,
        lora_dropout=0.05,
        task_type="CAUSAL_LM",
        target_modules=["q_proj", "k_proj", "v_proj", "o_proj"],
    ),
    args=config,
)
trainer.train()
'''
SHORT = """\
def preference_reward_func(completions, **kwargs):
    lengths = [len(completion.split()) for completion in completions]
    return [1.0 if length < 50 else 0.5 if length < 100 else 0.0 for length in lengths]


"""
TLDR = rows(*({"prompt": asked, "response": answer} for asked, answer in PAIRS))
CHOICES = rows(
    *(
        {
            "problem": f"{n} + {n} = ? A. {n} B. {2 * n} C. {3 * n} D. {4 * n} E. none "
            "Put the letter of the right option in \\boxed{}.",
            "solution": f"${2 * n}$",
            "answer": "$B$",
        }
        for n in range(2, 10)
    )
)
OPTION = '''\
"""GRPO of questions with five options."""

from datasets import load_dataset
from math_verify import LatexExtractionConfig, parse, verify
from trl import GRPOConfig, GRPOTrainer


def accuracy_reward(completions, solution, **kwargs):
    """1 if the answer is the solution."""
    rewards = []
    for completion, gold in zip(completions, solution):
        gold = parse(gold, extraction_config=[LatexExtractionConfig()], parsing_timeout=None)
        answer = parse(
            completion[0]["content"],
            extraction_config=[LatexExtractionConfig()],
            parsing_timeout=None,
        )
        rewards.append(float(verify(gold, answer, timeout_seconds=None)))
    return rewards


dataset = load_dataset("json", data_files="scq.jsonl", split="train")
dataset = dataset.map(lambda row: {"prompt": [{"role": "user", "content": row["problem"]}]})
trainer = GRPOTrainer(
    model="model",
    reward_funcs=accuracy_reward,
    args=GRPOConfig(
        output_dir="x-r1",
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=16,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
)
trainer.train()
right = [[{"role": "assistant", "content": "So it is $\\\\boxed{B}$."}]]
print("the right letter is rewarded:", accuracy_reward(right, dataset["solution"][:1]) == [1.0])
'''
REPORTS = (
    Report(
        "huggingface/open-r1#559",
        "four",
        "missing 1 required positional argument: 'solution'",
        r"solution",
        {"train.py": SCRIPT, "demo.jsonl": ASKED},
        {"demo.jsonl": ASKED.replace('"answer"', '"solution"')},
    ),
    Report(
        "huggingface.co/ligaments-dev/grpo-training-scripts/commit/28a17b6d",
        "current",
        "No reward source provided",
        r"reward_funcs",
        {"train.py": LIGAMENTS, "preferences.jsonl": TLDR},
        changed(
            LIGAMENTS,
            ("# Initialize", f"{SHORT}# Initialize"),
            (
                "    args=config,\n",
                "    reward_funcs=[preference_reward_func],\n    args=config,\n",
            ),
        ),
    ),
    Report(
        "dhcode-cpp/X-R1#24",
        "current",
        "the right letter is rewarded: False",
        r"solution|letter|asks for",
        {"train.py": OPTION, "scq.jsonl": CHOICES},
        changed(
            OPTION,
            (
                'dataset = load_dataset("json", data_files="scq.jsonl", split="train")\n',
                'dataset = load_dataset("json", data_files="scq.jsonl", split="train")\n'
                'dataset = dataset.remove_columns("solution")\n'
                'dataset = dataset.rename_column("answer", "solution")\n',
            ),
        ),
    ),
)
