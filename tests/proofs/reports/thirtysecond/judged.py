"""Threads of a thirty-second list: answers that are sampled and judged."""

from reports.report import PROMPTS, Report, changed, rows

SUMS = ((17, 5), (31, 12), (48, 6), (23, 9))
SOLVED = rows(
    *(
        {
            "problem": f"What is {a} + {b}?",
            "solution": f"We add {a} and {b}. That gives \\boxed{{{a + b}}} in the end.",
        }
        for a, b in SUMS
    )
)
NEAR = """\
# train_grpo.py
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("json", data_files="prompts.jsonl", split="train")


# Rewards completions that are close to 20 characters
def reward_len(completions, **kwargs):
    return [abs(20 - len(completion)) for completion in completions]


training_args = GRPOConfig(
    output_dir="GRPO-len",
    logging_steps=10,
    per_device_train_batch_size=4,
    num_generations=4,
    max_completion_length=16,
    max_steps=1,
    seed=7,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=reward_len,
    args=training_args,
    train_dataset=dataset,
)
trainer.train()
near, far = reward_len(["x" * 20, "x" * 400])
print("400 characters earn more than 20:", far > near)
"""
BOXED = '''\
"""GRPO on maths problems with solutions."""

import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser

SYSTEM_PROMPT = "Reason first. Put the final answer within \\\\boxed{}."


def extract_boxed(text):
    match = re.search(r"\\\\boxed\\{([^{}]*)\\}", text)
    return match.group(1).strip() if match else None


def get_completion_text(completion):
    if isinstance(completion, str):
        return completion
    for message in reversed(completion):
        if message.get("role") == "assistant":
            return message.get("content", "")
    return ""


def accuracy_reward(completions, answer, **kwargs):
    rewards = []
    for completion, ref in zip(completions, answer):
        pred = extract_boxed(get_completion_text(completion))
        rewards.append(1.0 if pred is not None and pred == ref.strip() else 0.0)
    return rewards


def format_example(example):
    return {
        "prompt": [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": example["problem"]},
        ],
        "answer": example.get("answer") or example.get("solution", ""),
    }


def main(script_args, training_args, model_args):
    raw = load_dataset("json", data_files=script_args.dataset_name, split="train")
    train_dataset = raw.map(format_example, remove_columns=raw.column_names)
    trainer = GRPOTrainer(
        model=model_args.model_name_or_path,
        args=training_args,
        reward_funcs=[accuracy_reward],
        train_dataset=train_dataset,
    )
    trainer.train()
    paid = sum(
        accuracy_reward([[{"role": "assistant", "content": row["solution"]}]], [kept["answer"]])[0]
        for row, kept in zip(raw, train_dataset)
    )
    print(f"the solutions of the dataset themselves earn {paid:.0f} of {len(raw)}")


if __name__ == "__main__":
    parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))
    main(
        *parser.parse_args_and_config(
            args=[
                *("--dataset_name", "solved.jsonl", "--model_name_or_path", "model"),
                *("--output_dir", "grpo-math", "--num_generations", "2", "--max_steps", "1"),
                *("--per_device_train_batch_size", "2", "--max_completion_length", "24"),
                *("--report_to", "none", "--save_strategy", "no", "--use_cpu", "--bf16", "False"),
            ]
        )
    )
'''
REPORTS = (
    Report(
        "discuss.huggingface.co/help-understanding-grpo-quick-start-in-docs#139165",
        "current",
        "400 characters earn more than 20: True",
        r"\b(negat|minus|sign\b)|-abs|(far|away|distance|differ|long).{0,100}"
        r"(earn|paid|pay|reward|score|more|high|grow)|penal",
        {"train.py": NEAR, "prompts.jsonl": PROMPTS},
        changed(
            NEAR,
            (
                "return [abs(20 - len(completion))",
                "return [-abs(20 - len(completion))",
            ),
        ),
    ),
    Report(
        "huggingface/trl#5026",
        "current",
        "the solutions of the dataset themselves earn 0 of 4",
        r"\b(solution|answer|ref|pred)\b.{0,160}(whole|full|entire|boxed|extract|differ|compar)"
        r"|never (equal|match)|boxed|column.{0,60}\banswer\b|\banswer\b.{0,60}column",
        {"train.py": BOXED, "solved.jsonl": SOLVED},
        changed(
            BOXED,
            (
                'example.get("answer") or example.get("solution", "")',
                'extract_boxed(example["solution"])',
            ),
        ),
    ),
)
