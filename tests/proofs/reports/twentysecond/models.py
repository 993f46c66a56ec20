"""Threads of a twenty-second list: what is drawn from a model, what scores it, what is trained."""

from reports.report import CHAT_PROMPTS, PROMPTS, TEXT, Report, changed

NO_INPUT_GRADS = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
# the words keep their meaning: only what is between them is trained
model.get_input_embeddings().weight.requires_grad_(False)
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="retain.jsonl", split="train"),
    args=SFTConfig(
        output_dir="unlearn",
        gradient_checkpointing=True,
        gradient_checkpointing_kwargs={"use_reentrant": True},
        max_steps=3,
        learning_rate=1e-3,
        logging_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
trainer.train()
layers = [(name, weight) for name, weight in model.named_parameters() if ".layers." in name]
trained = sum(bool((weight != before[name]).any()) for name, weight in layers)
print(f"weights of the layers that were trained: {trained} of {len(layers)}")
"""
RIGHT_PADDING = """\
import torch
from datasets import Dataset, load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.padding_side = "right"
model = AutoModelForCausalLM.from_pretrained("model")
prompts = load_dataset("json", data_files="prompts.jsonl", split="train")["prompt"]


@torch.no_grad()
def roll_out(prompts):
    \"\"\"What the student answers, for it is trained on its own words.\"\"\"
    batch = tokenizer(prompts, return_tensors="pt", padding=True)
    drawn = model.generate(**batch, max_new_tokens=12, do_sample=False)
    return tokenizer.batch_decode(drawn[:, batch["input_ids"].shape[1] :])


together = roll_out(list(prompts))
alone = [roll_out([prompt])[0] for prompt in prompts]
first = [one.split("<|fim_pad|>")[0] for one in together]
other = sum(a != b.split("<|fim_pad|>")[0] for a, b in zip(first, alone))
rows = [{"prompt": a, "completion": b} for a, b in zip(prompts, first)]
trainer = SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=Dataset.from_list(rows),
    args=SFTConfig(
        output_dir="student",
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print("prompts that are answered otherwise in a batch:", other)
"""
ALWAYS_ZERO = """\
import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

TOOLS = range(20)


def extract_choice(text):
    found = re.search(r"<answer>\\\\s*([\\\\d, ]+)</answer>", text)
    return [int(one) for one in found.group(1).split(",") if one.strip()] if found else None


def length_reward(completions, **kwargs):
    return [-abs(len(completion[0]["content"]) - 40) / 40 for completion in completions]


def format_reward(completions, **kwargs):
    \"\"\"1 for an <answer> with ids of tools that are there.\"\"\"
    rewards = []
    for completion in completions:
        reward = 0.0
        tool_ids = extract_choice(completion[0]["content"])
        if tool_ids is None:
            reward = 0.0
        rewards.append(reward)
    return rewards


trainer = GRPOTrainer(
    model="model",
    reward_funcs=[length_reward, format_reward],
    args=GRPOConfig(
        output_dir="tools",
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=12,
        max_steps=2,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
)
trainer.train()
right = [[{"role": "assistant", "content": "I take two.<answer>3, 7</answer>"}]]
print("a right answer is worth", format_reward(right)[0])
""".replace("\\\\", "\\")
REPORTS = (
    Report(
        "locuslab/open-unlearning#178",
        "four",
        r"weights of the layers that were trained: 0 of \d+",
        r"enable_input_require_grads|use_reentrant|gradient.checkpointing",
        {"train.py": NO_INPUT_GRADS, "retain.jsonl": TEXT},
        changed(
            NO_INPUT_GRADS,
            (
                "weight.requires_grad_(False)\n",
                "weight.requires_grad_(False)\nmodel.enable_input_require_grads()\n",
            ),
        ),
        level="",
    ),
    Report(
        "siyan-zhao/OPSD#30",
        "current",
        "prompts that are answered otherwise in a batch: [1-9]",
        r"padding_side|padding side|right.padd|padd\w+ (on|at) the right|left.padd",
        {"train.py": RIGHT_PADDING, "prompts.jsonl": PROMPTS},
        changed(
            RIGHT_PADDING, ('tokenizer.padding_side = "right"', 'tokenizer.padding_side = "left"')
        ),
        level="",
    ),
    Report(
        "OoDBag/VisTA#3",
        "current",
        "a right answer is worth 0",
        r"format_reward",
        {"train.py": ALWAYS_ZERO, "prompts.jsonl": CHAT_PROMPTS},
        changed(
            ALWAYS_ZERO,
            (
                "            reward = 0.0\n        rewards",
                "            reward = 0.0\n"
                "        elif all(tool in TOOLS for tool in tool_ids):\n"
                "            reward = 1.0\n        rewards",
            ),
        ),
        level="",
    ),
)
