"""Threads of a nineteenth list: groups of completions and their rewards."""

from reports.report import ASKED, PROMPTS, Report, changed, rows

REGISTRY = """\
from dataclasses import dataclass, field
from typing import Optional

from datasets import load_dataset
from transformers import AutoModelForSequenceClassification
from trl import GRPOConfig, GRPOTrainer


def think_format_reward(completions, **kwargs):
    return [float("</think>" in completion) for completion in completions]


def short_reward(completions, **kwargs):
    return [-len(completion) / 100 for completion in completions]


reward_funcs_registry = {"think_format_reward": think_format_reward, "short_reward": short_reward}


@dataclass
class GRPOScriptArguments:
    dataset_name: str = "prompts.jsonl"
    reward_model_name_or_path: Optional[str] = None
    reward_funcs: Optional[list[str]] = field(
        default_factory=lambda: ["think_format_reward", "short_reward"]
    )


def main(script_args, training_args):
    reward_model = None
    reward_funcs = []
    if script_args.reward_model_name_or_path:
        reward_model = AutoModelForSequenceClassification.from_pretrained(
            script_args.reward_model_name_or_path, num_labels=1
        )
        reward_funcs.append(reward_model)
    for name in script_args.reward_funcs or []:
        if name not in reward_funcs_registry:
            raise ValueError(f"Could not load reward function '{name}'")
        reward_funcs.append(reward_funcs_registry[name])

    dataset = load_dataset("json", data_files=script_args.dataset_name)
    trainer = GRPOTrainer(
        model="model",
        reward_funcs=reward_model,
        args=training_args,
        train_dataset=dataset["train"],
    )
    trainer.train()


if __name__ == "__main__":
    main(
        GRPOScriptArguments(),
        GRPOConfig(
            output_dir="grpo",
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=16,
            max_steps=1,
            learning_rate=1e-6,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
"""
SOFT_FORMAT = '''\
import re

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

SYSTEM_PROMPT = """
Respond in the following format:
<reasoning>
...
</reasoning>
<answer>
...
</answer>
"""


def get_questions(split="train"):
    data = load_dataset("json", data_files="gsm.jsonl", split=split)
    return data.map(
        lambda x: {
            "prompt": [
                {"role": "system", "content": SYSTEM_PROMPT},
                {"role": "user", "content": x["question"]},
            ]
        }
    )


def soft_format_reward_func(completions, **kwargs) -> list[float]:
    """Reward function that checks if the completion has a specific format."""
    pattern = r"<reasoning>.*?</reasoning>\\s*<answer>.*?</answer>"
    responses = [completion[0]["content"] for completion in completions]
    matches = [re.match(pattern, r) for r in responses]
    return [0.5 if match else 0.0 for match in matches]


def length_reward_func(completions, **kwargs) -> list[float]:
    return [len(completion[0]["content"]) / 1000 for completion in completions]


trainer = GRPOTrainer(
    model=AutoModelForCausalLM.from_pretrained("model"),
    processing_class=AutoTokenizer.from_pretrained("model"),
    reward_funcs=[soft_format_reward_func, length_reward_func],
    args=GRPOConfig(
        output_dir="outputs",
        learning_rate=5e-6,
        per_device_train_batch_size=4,
        num_generations=4,
        max_prompt_length=256,
        max_completion_length=16,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=get_questions(),
)
trainer.train()

good = "<reasoning>\\nSeven sixes.\\n</reasoning>\\n<answer>\\n42\\n</answer>"
print("reward of the format:", soft_format_reward_func([[{"content": good}]])[0])
'''
QUESTIONS = rows(*({"question": asked, "answer": str(n)} for n, asked in enumerate(ASKED)))
CURRICULUM = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

seen = []


def correct(completions, level, **kwargs):
    seen.append(level[0])
    return [float(len(set(completion))) for completion in completions]


# curriculum learning: the easy questions first, then harder ones
dataset = load_dataset("json", data_files="levels.jsonl", split="train").sort("level")

trainer = GRPOTrainer(
    model="model",
    reward_funcs=correct,
    args=GRPOConfig(
        output_dir="curriculum",
        num_train_epochs=1,
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8,
        learning_rate=1e-6,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
)
trainer.train()
print("levels in the order of training:", "sorted" if seen == sorted(seen) else "mixed", seen)
"""
LEVELS = rows(*({"prompt": f"{asked} ({n})", "level": n} for n, asked in enumerate(ASKED * 2)))
REPORTS = (
    Report(
        "huggingface/trl#3639",
        "grpo-shapes",
        "'NoneType' object",
        "reward_funcs|reward_model|None",
        {"train.py": REGISTRY, "prompts.jsonl": PROMPTS},
        changed(REGISTRY, ("reward_funcs=reward_model,", "reward_funcs=reward_funcs,")),
        level="",
    ),
    Report(
        "unslothai/notebooks#11",
        "grpo-shapes",
        "reward of the format: 0.0",
        "DOTALL|newline|lines",
        {"train.py": SOFT_FORMAT, "gsm.jsonl": QUESTIONS},
        changed(SOFT_FORMAT, ("re.match(pattern, r)", "re.match(pattern, r, re.DOTALL)")),
    ),
    Report(
        "huggingface/trl#2998",
        "grpo-first",
        "levels in the order of training: mixed",
        "shuffle|order",
        {"train.py": CURRICULUM, "levels.jsonl": LEVELS},
        changed(
            CURRICULUM,
            ("from trl import", "from torch.utils.data import Sampler\nfrom trl import"),
            (
                "trainer = GRPOTrainer(\n",
                "class InOrder(Sampler):\n"
                "    def __init__(self, dataset, times):\n"
                "        self.count, self.times = len(dataset), times\n\n"
                "    def __iter__(self):\n"
                "        return (n for n in range(self.count) for _ in range(self.times))\n\n"
                "    def __len__(self):\n"
                "        return self.count * self.times\n\n\n"
                "class OrderedTrainer(GRPOTrainer):\n"
                "    def _get_train_sampler(self):\n"
                "        return InOrder(self.train_dataset, self.num_generations)\n\n\n"
                "trainer = OrderedTrainer(\n",
            ),
        ),
    ),
)
