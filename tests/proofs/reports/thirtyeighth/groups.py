"""Threads of a thirty-eighth list: groups of completions that do not fit their batch."""

from reports.report import Report, changed, rows

SUMS = rows(
    {"problem": "Add 2 and 3.", "solution": "5"},
    {"problem": "Take 4 from 9.", "solution": "5"},
    {"problem": "Double 8.", "solution": "16"},
    {"problem": "Halve 10.", "solution": "5"},
)
RECIPE = """\
model_name_or_path: model
dataset_name: sums.jsonl
output_dir: data/R1-GRPO
max_steps: 1
per_device_train_batch_size: 7
gradient_accumulation_steps: 1
max_prompt_length: 64
max_completion_length: 12
learning_rate: 2.0e-05
lr_scheduler_type: cosine
logging_steps: 1
save_strategy: "no"
report_to: none
use_cpu: true
bf16: false
seed: 42
"""
OPEN = '''\
"""GRPO on sums, with a recipe: the arguments are those of recipe.yaml."""

import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser

SYSTEM = "Think inside <think> and </think>, then answer inside <answer> and </answer>."


def accuracy(completions, solution, **kwargs):
    said = [completion[0]["content"] for completion in completions]
    return [1.0 if right in text else 0.0 for text, right in zip(said, solution)]


def form(completions, **kwargs):
    pattern = re.compile(r"<think>.*</think>\\s*<answer>.*</answer>", re.S)
    return [0.5 if pattern.search(one[0]["content"]) else 0.0 for one in completions]


def ask(row):
    system = {"role": "system", "content": SYSTEM}
    return {"prompt": [system, {"role": "user", "content": row["problem"]}]}


def main(script, training, model):
    data = load_dataset("json", data_files=script.dataset_name, split="train").map(ask)
    trainer = GRPOTrainer(
        model=model.model_name_or_path,
        reward_funcs=[accuracy, form],
        args=training,
        train_dataset=data,
    )
    trainer.train()


if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))
    main(*parser.parse_args_and_config(["--config", "recipe.yaml"]))
'''
BOOK = """\
# The notebook of a chapter on reinforcement learning, as one script.
import re

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

EXAMPLES = [
    ("Ann has 3 pens and buys 4.", "7"),
    ("A box holds 6 eggs; 2 break.", "4"),
    ("Two trains carry 10 people each.", "20"),
    ("Half of 18 apples are red.", "9"),
]

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
model = AutoModelForCausalLM.from_pretrained("model")


def build_prompt(question):
    return f"Question: {question}\\nReason first. End with <answer>NUMBER</answer>.\\nAnswer:"


data = Dataset.from_list([{"prompt": build_prompt(q), "answer": a} for q, a in EXAMPLES])


def number_in(text):
    found = re.findall(r"<answer>\\s*(-?\\d+)", text)
    return found[-1] if found else None


def correctness_reward(completions, answer, **kwargs):
    return [2.0 if number_in(c) == a else 0.0 for c, a in zip(completions, answer)]


def format_reward(completions, **kwargs):
    return [0.2 * c.count("<answer>") + 0.2 * c.count("</answer>") for c in completions]


training_args = GRPOConfig(
    output_dir="grpo_book",
    per_device_train_batch_size=4,
    num_generations=8,
    max_prompt_length=96,
    max_completion_length=10,
    max_steps=1,
    learning_rate=1e-5,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model=model,
    processing_class=tokenizer,
    reward_funcs=[correctness_reward, format_reward],
    args=training_args,
    train_dataset=data,
)
trainer.train()
"""
DIVIDES = r"divisible by|does not divide|num_generations"
REPORTS = (
    Report(
        "huggingface/open-r1#249",
        "grpo-first",
        "evenly divisible by the number of generations",
        DIVIDES,
        {"train.py": OPEN, "recipe.yaml": RECIPE, "sums.jsonl": SUMS},
        {"recipe.yaml": f"{RECIPE}num_generations: 7\n"},
    ),
    Report(
        "aburkov/theLMbook#2",
        "grpo-shapes",
        "must be evenly divisible by the number of generations",
        DIVIDES,
        {"train.py": BOOK},
        changed(BOOK, ("num_generations=8", "num_generations=4")),
    ),
)
