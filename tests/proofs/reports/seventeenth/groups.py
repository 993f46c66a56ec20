"""Threads of a seventeenth list: groups of completions and their rewards."""

from reports.report import Report, changed, rows, turn

PAIRED = """\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

prompts = load_dataset("json", data_files="prompts.jsonl", split="train")


def verifiable_reward(completions, **kwargs):
    # 1 or 0: about one answer in five is right
    return [1.0 if len(one[0]["content"]) % 5 == 0 else 0.0 for one in completions]


GRPO_CONFIG_DICT = {
    "output_dir": "pt11",
    "num_generations": 2,
    "per_device_train_batch_size": 16,
    "max_completion_length": 16,
    "max_steps": 5,
    "learning_rate": 1e-5,
    "logging_steps": 1,
    "seed": 0,
    "report_to": "none",
    "save_strategy": "no",
    "use_cpu": True,
    "bf16": False,
}
trainer = GRPOTrainer(
    model="model",
    reward_funcs=verifiable_reward,
    args=GRPOConfig(**GRPO_CONFIG_DICT),
    train_dataset=prompts,
    processing_class=AutoTokenizer.from_pretrained("model", padding_side="left"),
)
trainer.train()
logs = trainer.state.log_history
alike = [entry["frac_reward_zero_std"] for entry in logs if "frac_reward_zero_std" in entry]
print("most groups teach nothing:", sum(alike) / len(alike) > 0.5)
"""
SUMS = rows(*({"prompt": [turn("user", f"What is {n} and two?")]} for n in range(32)))
SHORT = """\
import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("json", data_files="gsm8k.jsonl", split="train")


def math_correct(completions, answer, **kwargs):
    rewards = []
    for one, solution in zip(completions, answer):
        gold = solution.split("####")[-1].strip()
        said = re.search(r"####\\s*(-?\\d+)", one[0]["content"])
        rewards.append(1.0 if said and said.group(1) == gold else 0.0)
    return rewards


def length_bonus(completions, **kwargs):
    return [min(len(one[0]["content"]) / 400, 0.2) for one in completions]


trainer = GRPOTrainer(
    model="model",
    reward_funcs=[math_correct, length_bonus],
    args=GRPOConfig(
        output_dir="arm-N",
        max_completion_length=24,
        num_generations=2,
        per_device_train_batch_size=2,
        max_steps=1,
        learning_rate=1e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
)
trainer.train()
lengths = [len(trainer.processing_class(row["answer"])["input_ids"]) for row in dataset]
limit = trainer.args.max_completion_length
print("reference answers that fit:", sum(one <= limit for one in lengths), "of", len(lengths))
"""
SOLVED = rows(
    *(
        {
            "prompt": [turn("user", f"A box holds {n} pens. How many pens are in 3 boxes?")],
            "answer": f"One box holds {n} pens. Three boxes hold three times as many pens. "
            f"So there are 3 * {n} = {3 * n} pens in all of the boxes.\n#### {3 * n}",
        }
        for n in range(2, 6)
    )
)
UNPARSED = '''\
from datasets import load_dataset
from math_verify import LatexExtractionConfig, parse, verify
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("json", data_files="problems.jsonl", split="train")


def accuracy_reward(completions, **kwargs):
    """Reward function that checks if the completion is the same as the ground truth."""
    solutions = kwargs["solution"]
    completion_contents = [completion[0]["content"] for completion in completions]
    rewards = []
    for content, solution in zip(completion_contents, solutions):
        found = [LatexExtractionConfig()]
        gold_parsed = parse(solution, extraction_mode="first_match", extraction_config=found)
        answer_parsed = parse(content, extraction_mode="first_match", extraction_config=found)
        if len(gold_parsed) != 0:
            try:
                rewards.append(float(verify(answer_parsed, gold_parsed)))
            except Exception:
                rewards.append(0.0)
        else:
            rewards.append(1.0)
    return rewards


trainer = GRPOTrainer(
    model="model",
    reward_funcs=accuracy_reward,
    args=GRPOConfig(
        output_dir="grpo-math",
        num_generations=2,
        max_completion_length=32,
        per_device_train_batch_size=2,
        max_steps=1,
        logging_steps=1,
        learning_rate=1e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
)
trainer.train()
print("mean of the accuracy:", trainer.state.log_history[0]["rewards/accuracy_reward/mean"])
'''
PROBLEMS = rows(
    *(
        {"prompt": [turn("user", f"What is {n} times two?")], "solution": f"The answer is {2 * n}."}
        for n in range(2, 6)
    )
)
ONE_ROW = """\
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

QUESTIONS = ["What is six times seven?", "Count to five.", "And two weeks?", "And the sea?"]
formatted_data = [{"prompt": [{"role": "user", "content": asked}]} for asked in QUESTIONS]
train_data = formatted_data[:1]
train_dataset = Dataset.from_list(train_data)


def reward_len(completions, **kwargs):
    return [-abs(20.0 - len(one[0]["content"])) for one in completions]


trainer = GRPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float32),
    processing_class=AutoTokenizer.from_pretrained("model", padding_side="left"),
    reward_funcs=reward_len,
    args=GRPOConfig(
        output_dir="grpo-one",
        num_generations=2,
        max_completion_length=16,
        per_device_train_batch_size=2,
        num_train_epochs=4,
        learning_rate=1e-5,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=train_dataset,
)
trainer.train()
print("rows that are trained on:", len(trainer.train_dataset), "of", len(QUESTIONS))
"""
REPORTS = (
    Report(
        "jsboige/CoursIA#10603",
        "current",
        "most groups teach nothing: True",
        "num_generations",
        {"train.py": PAIRED, "prompts.jsonl": SUMS},
        changed(PAIRED, ('"num_generations": 2', '"num_generations": 8')),
        level="",
    ),
    Report(
        "jsboige/CoursIA#13596",
        "current",
        "reference answers that fit: 0 of 4",
        "max_completion_length",
        {"train.py": SHORT, "gsm8k.jsonl": SOLVED},
        changed(SHORT, ("max_completion_length=24", "max_completion_length=256")),
    ),
    Report(
        "huggingface/cookbook#335",
        "current",
        r"mean of the accuracy: 1\.0",
        "accuracy_reward",
        {"train.py": UNPARSED, "problems.jsonl": PROBLEMS},
        {"problems.jsonl": PROBLEMS.replace("answer is ", "answer is $").replace('."}', '$."}')},
        level="",
    ),
    Report(
        "huggingface/trl#2970",
        "grpo-first",
        "rows that are trained on: 1 of 4",
        r"(one|1|single) (row|prompt|example)|\[:1\]",
        {"train.py": ONE_ROW},
        changed(ONE_ROW, ("formatted_data[:1]", "formatted_data")),
        level="",
    ),
)
