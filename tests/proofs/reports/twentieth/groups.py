"""Threads of a twentieth list: groups of completions, their prompts and their rewards."""

from reports.report import PAIRS, Report, changed, rows

PROBLEMS = rows(*({"problem": a, "solution": b} for a, b in PAIRS))
FORMAT = """\
import re

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

SYSTEM_PROMPT = (
    "The assistant first thinks about the reasoning process and then provides the answer. They "
    "are enclosed in tags, i.e., <think> reasoning process here </think><answer> answer here "
    "</answer>"
)


def accuracy_reward(completions, solution, **kwargs):
    contents = [completion[0]["content"] for completion in completions]
    return [float(right in content) for content, right in zip(contents, solution)]


def format_reward(completions, **kwargs):
    pattern = r"^<think>.*?</think><answer>.*?</answer>$"
    contents = [completion[0]["content"] for completion in completions]
    matches = [re.match(pattern, content) for content in contents]
    return [1.0 if match else 0.0 for match in matches]


reward_funcs_registry = {"accuracy": accuracy_reward, "format": format_reward}


def make_conversation(example):
    return {
        "prompt": [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": example["problem"]},
        ]
    }


def main(names=("accuracy", "format")):
    dataset = load_dataset("json", data_files="clevr.jsonl", split="train")
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=AutoTokenizer.from_pretrained("model"),
        reward_funcs=[reward_funcs_registry[name] for name in names],
        args=GRPOConfig(
            output_dir="rl-output",
            max_completion_length=16,
            per_device_train_batch_size=2,
            num_generations=2,
            max_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
        ),
        train_dataset=dataset.map(make_conversation),
    )
    trainer.train()


main()
# what a model writes that has learnt the form
answer = "<think>\\nSeven times six is forty-two.\\n</think>\\n<answer>42</answer>"
print("reward of a good form:", format_reward([[{"role": "assistant", "content": answer}]])[0])
"""
REPORTS = (
    Report(
        "StarsfieldAI/R1-V#65",
        "grpo-silent",
        r"reward of a good form: 0\.0",
        r"pattern|DOTALL|line break|newline|several lines",
        {"train.py": FORMAT, "clevr.jsonl": PROBLEMS},
        changed(
            FORMAT,
            ("</think><answer>.*?</answer>$", r"</think>\s*<answer>.*?</answer>$"),
            ("re.match(pattern, content)", "re.match(pattern, content, re.DOTALL | re.MULTILINE)"),
        ),
    ),
)
