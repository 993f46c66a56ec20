"""Threads of a thirty-third list: answers that are judged."""

from reports.report import PAIRS, Report, changed, rows

SEEN = rows(*({"problem": asked, "solution": f"<answer>{said}</answer>"} for asked, said in PAIRS))
TAGS = '''\
"""GRPO on questions; the answer is to be reasoned about first."""

import re
from dataclasses import dataclass, field

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser

SYSTEM_PROMPT = (
    "A conversation between User and Assistant. The assistant first thinks about the reasoning "
    "process in the mind and then provides the user with the answer. The reasoning process and "
    "answer are enclosed within <think> </think> and <answer> </answer> tags, respectively."
)


@dataclass
class GRPOScriptArguments(ScriptArguments):
    reward_funcs: list[str] = field(default_factory=lambda: ["accuracy", "format"])


def accuracy_reward(completions, solution, **kwargs):
    """Is what is in the answer's tags what the solution has in its own?"""
    rewards = []
    for content, sol in zip([completion[0]["content"] for completion in completions], solution):
        said = re.search(r"<answer>(.*?)</answer>", content, re.DOTALL)
        true = re.search(r"<answer>(.*?)</answer>", sol)
        same = bool(said and true and said.group(1).strip() == true.group(1).strip())
        rewards.append(1.0 if same else 0.0)
    return rewards


def format_reward(completions, **kwargs):
    """Reward function that checks if the completion has a specific format."""
    pattern = r"<think>.*?</think>\\s*<answer>.*?</answer>"
    completion_contents = [completion[0]["content"] for completion in completions]
    matches = [re.match(pattern, content) for content in completion_contents]
    return [1.0 if match else 0.0 for match in matches]


REWARDS = {"accuracy": accuracy_reward, "format": format_reward}


def make_conversation(example):
    return {
        "prompt": [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": example["problem"]},
        ]
    }


def main(script_args, training_args, model_args):
    dataset = load_dataset("json", data_files=script_args.dataset_name, split="train")
    dataset = dataset.map(make_conversation, remove_columns="problem")
    trainer = GRPOTrainer(
        model=model_args.model_name_or_path,
        reward_funcs=[REWARDS[name] for name in script_args.reward_funcs],
        args=training_args,
        train_dataset=dataset,
    )
    trainer.train()
    good = "<think>\\nSix times seven is what is asked.\\n</think>\\n\\n<answer>\\n42\\n</answer>"
    earned = format_reward([[{"role": "assistant", "content": good}]])
    print("an answer in the right form earns", earned[0])


if __name__ == "__main__":
    parser = TrlParser((GRPOScriptArguments, GRPOConfig, ModelConfig))
    main(
        *parser.parse_args_and_config(
            args=[
                *("--dataset_name", "seen.jsonl", "--model_name_or_path", "model"),
                *("--output_dir", "grpo", "--num_generations", "2", "--max_steps", "1"),
                *("--per_device_train_batch_size", "2", "--max_completion_length", "16"),
                *("--report_to", "none", "--save_strategy", "no", "--use_cpu", "--bf16", "False"),
            ]
        )
    )
'''
REPORTS = (
    Report(
        "EvolvingLMMs-Lab/open-r1-multimodal#15",
        "current",
        "an answer in the right form earns 0.0",
        r"DOTALL|line breaks?|newlines?|several lines|multi.?line",
        {"train.py": TAGS, "seen.jsonl": SEEN},
        changed(TAGS, ("re.match(pattern, content)", "re.match(pattern, content, re.DOTALL)")),
    ),
)
