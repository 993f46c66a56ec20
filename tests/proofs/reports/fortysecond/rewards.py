"""Threads of a forty-second list: reward functions that say something else than they should."""

from reports.report import CHAT_PROMPTS, PROMPTS, Report, changed

TWENTY = '''\
"""GRPO: completions of about twenty characters, as the quick start shows."""

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

dataset = load_dataset("json", data_files="tldr.jsonl", split="train")


# Define the reward function, which rewards completions that are close to 20 characters
def reward_len(completions, **kwargs):
    return [abs(20 - len(completion)) for completion in completions]


training_args = GRPOConfig(
    output_dir="Qwen2-0.5B-GRPO",
    logging_steps=10,
    per_device_train_batch_size=4,
    num_generations=4,
    max_completion_length=16,
    max_steps=1,
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
near, far = reward_len(["x" * 20, "x" * 60])
print("twenty characters are worth more than sixty:", near > far)
'''
AGENT = '''\
"""GRPO of an agent: one step is generated, and finished to a whole trajectory."""

import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

TOOLS = ("search", "download", "translate")
WEIGHTS = {"format": 0.3, "tool": 0.2, "arguments": 0.2, "process": 0.1, "outcome": 0.2}


def synthesize(completion):
    """A trajectory of the step and of a last one that is appended."""
    action = re.search(r"Action: (\\w+)\\[(.*?)\\]", completion)
    return {
        "text": completion,
        "tool": action and action[1],
        "arguments": action and action[2],
        "steps": 2,
        "forced_finish": True,
    }


def components(trajectory):
    """What each part is worth, between 0 and 1."""
    text = trajectory["text"]
    written = sum(letter.isascii() and letter.isprintable() for letter in text)
    return {
        "format": written / max(len(text), 1),
        "tool": float(trajectory["tool"] in TOOLS),
        "arguments": float(bool(trajectory["arguments"])),
        "process": float(trajectory["steps"] <= 4),
        "outcome": 1.0,
    }


def total(trajectory):
    parts = components(trajectory)
    score = sum(WEIGHTS[name] * value for name, value in parts.items())
    if trajectory["forced_finish"]:
        score = min(score, 0.25)
    return score


def react_reward(completions, **kwargs):
    return [total(synthesize(completion)) for completion in completions]


trainer = GRPOTrainer(
    model="model",
    reward_funcs=react_reward,
    args=GRPOConfig(
        output_dir="grpo",
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=16,
        temperature=1.0,
        learning_rate=1e-6,
        logging_steps=1,
        max_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="tasks.jsonl", split="train"),
)
trainer.train()
spread = [entry["reward_std"] for entry in trainer.state.log_history if "reward_std" in entry]
print("answers of a group differ in worth:", any(spread))
'''
CAPPED = """\
    if trajectory["forced_finish"]:
        score = min(score, 0.25)
    return score
"""
PARTS = """\
    parts = components(trajectory)
"""
PREFILLED = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}"
)
FORMAT = '''\
"""GRPO of a distilled reasoning model: the form of the answer counts."""

import re

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

SYSTEM_PROMPT = (
    "Think first, then answer, as in <think>\\n...\\n</think>\\n<answer>\\n...\\n</answer>."
)


def make_conversation(example):
    system = {"role": "system", "content": SYSTEM_PROMPT}
    return {"prompt": [system, *example["prompt"]]}


def format_reward(completions, **kwargs):
    """1 if the thoughts and the answer are in their tags."""
    pattern = r"^<think>\\n.*?\\n</think>\\n<answer>\\n.*?\\n</answer>$"
    contents = [completion[0]["content"] for completion in completions]
    matches = [re.match(pattern, content, re.DOTALL) for content in contents]
    return [1.0 if match else 0.0 for match in matches]


dataset = load_dataset("json", data_files="math.jsonl", split="train").map(make_conversation)
tokenizer = AutoTokenizer.from_pretrained("model")
trainer = GRPOTrainer(
    model="model",
    reward_funcs=format_reward,
    args=GRPOConfig(
        output_dir="r1-distill-grpo",
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
    processing_class=tokenizer,
)
trainer.train()
begun = tokenizer.apply_chat_template(
    dataset[0]["prompt"], add_generation_prompt=True, tokenize=False
).rsplit("<|im_start|>assistant\\n", 1)[1]
whole = "<think>\\nSix times seven.\\n</think>\\n<answer>\\n42\\n</answer>"
content = whole.removeprefix(begun)
worth = format_reward([[{"role": "assistant", "content": content}]])
print("an answer in the right form is rewarded:", worth == [1.0])
'''
REPORTS = (
    Report(
        "huggingface/trl#2714",
        "current",
        "twenty characters are worth more than sixty: False",
        r"reversed|farther|distance|\bsign\b|minus|abs\(|far from|lowest|penal",
        {"train.py": TWENTY, "tldr.jsonl": PROMPTS},
        changed(TWENTY, ("[abs(20", "[-abs(20")),
    ),
    Report(
        "Algorineko/AgenticArXiv-RL#76",
        "current",
        "answers of a group differ in worth: False",
        r"same (reward|score|value|worth)|constant|0\.25|alike|forced_finish|all equal",
        {"train.py": AGENT, "tasks.jsonl": PROMPTS},
        changed(
            AGENT,
            (CAPPED, "    return score\n"),
            (PARTS,
             f"{PARTS}    if trajectory['forced_finish']:\n"
             "        parts['outcome'] = min(parts['outcome'], 0.25)\n"),
        ),
    ),
    Report(
        "huggingface/open-r1#560",
        "current",
        "an answer in the right form is rewarded: False",
        r"<think>|generation prompt|prefill|pattern",
        {
            "train.py": FORMAT,
            "math.jsonl": CHAT_PROMPTS,
            "model/chat_template.jinja": PREFILLED,
        },
        changed(
            FORMAT,
            ("re.match(pattern, content,", 're.match(pattern, f"<think>\\n{content}",'),
        ),
    ),
)  # fmt: skip
