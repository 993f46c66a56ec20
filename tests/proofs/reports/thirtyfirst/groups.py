"""Threads of a thirty-first list: answers that are sampled and paid."""

from reports.report import Report, changed, rows

SUMS = ((17, 5), (31, 12), (48, 6), (23, 9))
TASKS = rows(*({"question": f"Compute {a} - {b}.", "answer": a - b} for a, b in SUMS))
LONG = rows(
    *({"prompt": f"{a} - {b} =", "solution": str(a - b)} for a, b in SUMS),
)
PLAIN = """\
# %% [markdown]
# Minimal GRPO with a reward that can be verified: subtractions.

# %%
import json
import re

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

SEED = 0
tok = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")

# %%
INSTRUCTION = "Answer with one number only. "
with open("tasks.jsonl") as file:
    tasks = [json.loads(line) for line in file]


def to_prompt(task):
    return INSTRUCTION + task["question"]


train_ds = Dataset.from_list(
    [{"prompt": to_prompt(task), "answer": task["answer"]} for task in tasks]
)


# %%
def text_of(completion):
    return completion if isinstance(completion, str) else completion[0]["content"]


def reward_correct(completions, answer, **kwargs):
    scores = []
    for completion, right in zip(completions, answer):
        found = re.findall(r"-?\\d+", text_of(completion))
        scores.append(1.0 if found and int(found[-1]) == right else 0.0)
    return scores


# %%
config = GRPOConfig(
    output_dir="grpo_min",
    seed=SEED,
    per_device_train_batch_size=4,
    num_generations=4,
    max_completion_length=16,
    beta=0.0,
    max_steps=1,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model=model,
    processing_class=tok,
    reward_funcs=[reward_correct],
    args=config,
    train_dataset=train_ds,
)
seen = []
looking = model.get_input_embeddings().register_forward_hook(
    lambda layer, inputs, output: seen.append(tok.decode(inputs[0][0]))
)
trainer.train()
looking.remove()

# %%
print("the model was asked with its markers of turns:", "<|im_start|>" in seen[0])
"""
COSINE = '''\
import math
import re
from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import HfArgumentParser
from trl import GRPOConfig, GRPOTrainer


@dataclass
class GRPOScriptArguments:
    model_name: str = field(default="model")
    dataset_file: str = field(default="problems.jsonl")
    cosine_min_value_wrong: float = field(default=-0.5)
    cosine_max_value_wrong: float = field(default=0.0)
    cosine_min_value_correct: float = field(default=0.5)
    cosine_max_value_correct: float = field(default=1.0)
    cosine_max_len: int = field(default=24)


def get_cosine_scaled_reward(min_wrong, max_wrong, min_correct, max_correct, max_len):
    def cosine_scaled_reward(completions, solution, **kwargs):
        """Short right answers earn more than long ones; wrong ones the other way round."""
        rewards = []
        for content, right in zip(completions, solution):
            numbers = re.findall(r"\\d+", content)
            is_correct = bool(numbers) and numbers[-1] == right
            gen_len = len(content)
            progress = gen_len / max_len
            cosine = math.cos(progress * math.pi)
            if is_correct:
                low, high = min_correct, max_correct
            else:
                low, high = max_wrong, min_wrong
            rewards.append(float(low + 0.5 * (high - low) * (1.0 + cosine)))
        return rewards

    return cosine_scaled_reward


def main():
    parser = HfArgumentParser(GRPOScriptArguments)
    (script_args,) = parser.parse_args_into_dataclasses(args=[])
    reward = get_cosine_scaled_reward(
        script_args.cosine_min_value_wrong,
        script_args.cosine_max_value_wrong,
        script_args.cosine_min_value_correct,
        script_args.cosine_max_value_correct,
        script_args.cosine_max_len,
    )
    training_args = GRPOConfig(
        output_dir="Qwen-R1",
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=64,
        max_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )
    trainer = GRPOTrainer(
        model=script_args.model_name,
        reward_funcs=[reward],
        args=training_args,
        train_dataset=load_dataset("json", data_files=script_args.dataset_file, split="train"),
    )
    trainer.train()
    for length in (4, 24, 48):
        text = "x" * (length - 2) + "12"
        print(f"a right answer of {length} characters: {reward([text], ['12'])[0]:.2f}")


if __name__ == "__main__":
    main()
'''
REPORTS = (
    Report(
        "jsboige/CoursIA#11304",
        "current",
        "asked with its markers of turns: False",
        r"chat.template|conversation(al)?\b|list of messages|\bmessages\b|im_start"
        r"|\broles?\b|plain (text|string)|\bturn\b",
        {"train.py": PLAIN, "tasks.jsonl": TASKS},
        changed(
            PLAIN,
            (
                '    return INSTRUCTION + task["question"]',
                '    return [{"role": "user", "content": INSTRUCTION + task["question"]}]',
            ),
        ),
    ),
    Report(
        "huggingface/open-r1#312",
        "grpo-shapes",
        r"a right answer of 48 characters: 1\.00",
        r"\b(cosine_)?max_len\b|\bprogress\b|cosine|\bcos\b"
        r"|(long|length).{0,80}(earn|paid|reward|score)s?\b.{0,60}(more|again|same|higher|rise)",
        {"train.py": COSINE, "problems.jsonl": LONG},
        changed(
            COSINE,
            ("progress = gen_len / max_len", "progress = min(gen_len, max_len) / max_len"),
        ),
    ),
)
