"""Threads of a twenty-eighth list: rewards that are not what the script means them to be."""

from reports.report import Report, changed
from reports.twentyeighth.data import MARGINS, TAGGED, no_padding
from reports.twentyseventh.data import CHOICES

COSINE = """\
import math

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def cosine_reward(completions, solution, **kwargs):
    rewards = []
    for text, right in zip(completions, solution):
        progress = min(len(text), 200) / 200
        scale = 0.5 * (1 + math.cos(math.pi * progress))
        rewards.append(scale if right.lower() in text.lower() else -scale)
    return rewards


dataset = load_dataset("json", data_files="quiz.jsonl", split="train")
dataset = dataset.rename_column("question", "prompt")
trainer = GRPOTrainer(
    model="model",
    reward_funcs=[cosine_reward],
    args=GRPOConfig(
        output_dir="quiz-grpo",
        max_steps=2,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=16,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
)
trainer.train()
"""
TAGS = """\
import re

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

set_seed(0)
common = dict(report_to="none", save_strategy="no", use_cpu=True, bf16=False, logging_steps=1)
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32)
shown = load_dataset("json", data_files="shown.jsonl", split="train")
SFTTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=shown,
    args=SFTConfig(
        output_dir="cold-start",
        max_steps=40,
        per_device_train_batch_size=12,
        learning_rate=1e-2,
        lr_scheduler_type="constant",
        **common,
    ),
).train()


def soft_format_reward(completions, **kwargs):
    pattern = r"<answer>.*?</answer>"
    return [0.5 if re.match(pattern, text.strip()) else 0.0 for text in completions]


def length_reward(completions, **kwargs):
    return [-0.001 * len(text) for text in completions]


trainer = GRPOTrainer(
    model=model,
    processing_class=tokenizer,
    reward_funcs=[soft_format_reward, length_reward],
    train_dataset=shown.select_columns("prompt"),
    args=GRPOConfig(
        output_dir="zero",
        max_steps=1,
        per_device_train_batch_size=8,
        num_generations=4,
        max_completion_length=28,
        temperature=0.3,
        **common,
    ),
)
trainer.train()
logs = [log["rewards/soft_format_reward/mean"] for log in trainer.state.log_history[:-1]]
print(f"mean reward for the format: {sum(logs) / len(logs):.3f}")
"""
PAIRWISE = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer


class MarginTrainer(RewardTrainer):
    terms = 0

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        margin = inputs.pop("margin")
        outputs = model(**inputs)
        chosen, rejected = torch.chunk(outputs.logits, 2)
        terms = -torch.nn.functional.logsigmoid(chosen - rejected - margin)
        self.terms = terms.numel()
        loss = terms.mean()
        return (loss, outputs) if return_outputs else loss


trainer = MarginTrainer(
    model=AutoModelForSequenceClassification.from_pretrained(
        "model", num_labels=1, dtype=torch.float32
    ),
    processing_class=AutoTokenizer.from_pretrained("model"),
    train_dataset=load_dataset("json", data_files="rated.jsonl", split="train"),
    args=RewardConfig(
        output_dir="rm",
        num_train_epochs=1,
        per_device_train_batch_size=4,
        learning_rate=1e-4,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
print(f"terms of the loss of a batch of {trainer.args.per_device_train_batch_size}:", trainer.terms)
"""
NO_PAD = """\
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
if tokenizer.pad_token is None:
    tokenizer.pad_token = tokenizer.eos_token
model = AutoModelForSequenceClassification.from_pretrained("model", num_labels=1)
trainer = RewardTrainer(
    model=model,
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
    args=RewardConfig(
        output_dir="llama-rm",
        max_steps=2,
        per_device_train_batch_size=2,
        max_length=256,
        remove_unused_columns=False,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
"""
REPORTS = (
    Report(
        "modelscope/ms-swift#3533",
        "current",
        "missing 1 required positional argument: 'solution'",
        r"`?solution`?.{0,200}(column|argument|data ?set|rows|missing|required)|"
        r"(column|argument|missing|required).{0,200}`?solution",
        {
            "train.py": COSINE,
            "quiz.jsonl": CHOICES.replace('"prompt"', '"question"').replace('"chosen"', '"answer"'),
        },
        changed(
            COSINE,
            (
                'dataset = dataset.rename_column("question", "prompt")\n',
                'dataset = dataset.rename_columns({"question": "prompt", "answer": "solution"})\n',
            ),
        ),
        level="",
    ),
    Report(
        "unslothai/notebooks#96",
        "current",
        r"mean reward for the format: 0\.000",
        r"DOTALL|new.?line|line break|several lines|\(\?s\)|"
        r"(soft_format_)?reward.{0,150}(always|each|every|all|same|equal|never|constant|only)",
        {"train.py": TAGS, "shown.jsonl": TAGGED},
        changed(TAGS, ("text.strip())", "text.strip(), re.DOTALL)")),
        level="files",
    ),
    Report(
        "modelscope/ms-swift#9927",
        "current",
        "terms of the loss of a batch of 4: 16",
        r"broadcast|margin.{0,120}(shape|dimension|unsqueeze|\[)|"
        r"(shape|dimension|squeeze).{0,120}(margin|logits|loss)|\(4, 4\)|\[4, 4\]|4 ?[x×] ?4",
        {"train.py": PAIRWISE, "rated.jsonl": MARGINS},
        changed(PAIRWISE, ('inputs.pop("margin")\n', 'inputs.pop("margin").unsqueeze(-1)\n')),
        level="",
    ),
    Report(
        "huggingface/transformers#34055",
        "ppo-first",
        "Cannot handle batch sizes > 1 if no padding token is defined",
        r"pad_token_id|pad(ding)? token",
        {"train.py": NO_PAD, "pairs.jsonl": CHOICES, **no_padding()},
        changed(
            NO_PAD,
            (
                '"model", num_labels=1)\n',
                '"model", num_labels=1)\nmodel.config.pad_token_id = tokenizer.pad_token_id\n',
            ),
        ),
        level="",
    ),
)
