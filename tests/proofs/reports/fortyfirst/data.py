"""Threads of a forty-first list: rows in another order, cut, or read by another tokenizer."""

import json

from laid import ROOT

from reports.report import CHATS, Report, changed, rows

HARDER = rows(
    *({"prompt": f"Add {n} and {n}.", "difficulty": n, "answer": str(2 * n)}
      for n in (7, 3, 1, 8, 5, 2, 6, 4))
)  # fmt: skip
CURRICULUM = '''\
"""GRPO with a curriculum: the easy questions are to come first."""

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

asked = []


def right(prompts, completions, answer, **kwargs):
    asked.extend(dict.fromkeys(prompts))
    return [float(a in text) - len(text) / 100 for a, text in zip(answer, completions)]


dataset = load_dataset("json", data_files="sums.jsonl", split="train").sort("difficulty")
trainer = GRPOTrainer(
    model="model",
    reward_funcs=right,
    args=GRPOConfig(
        output_dir="grpo-curriculum",
        per_device_train_batch_size=8,
        num_generations=2,
        max_completion_length=8,
        learning_rate=1e-6,
        num_train_epochs=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
)
trainer.train()
print("asked in the order of the rows:", asked == dataset["prompt"][:])
'''
LONG = "Let us think about it. First, what do we know? We know what was said. " * 3
PAIRS = rows(
    *({"prompt": f"What is {n} times two?", "chosen": f" {LONG}It is {2 * n}.",
       "rejected": f" {LONG}It is {2 * n + 1}."} for n in range(4))
)  # fmt: skip
MARGINS = '''\
"""DPO on top of a fine-tuned model: the pairs are two answers of that model."""

from datasets import load_dataset
from trl import DPOConfig, DPOTrainer

trainer = DPOTrainer(
    model="model",
    args=DPOConfig(
        output_dir="dpo",
        max_length=64,
        beta=0.1,
        per_device_train_batch_size=4,
        learning_rate=5e-7,
        num_train_epochs=1,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
)
trainer.train()
gradient = float(trainer.state.log_history[0]["grad_norm"])
print("the gradient is nearly nothing:", gradient < 1e-4)
'''
DISTILLED = '''\
"""Distillation: the student learns the probabilities of a teacher of another family."""

from datasets import load_dataset
from transformers import AutoTokenizer
from trl.experimental.gkd import GKDConfig, GKDTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
trainer = GKDTrainer(
    model="model",
    teacher_model="teacher",
    args=GKDConfig(
        output_dir="gkd-model",
        per_device_train_batch_size=2,
        max_new_tokens=8,
        learning_rate=1e-5,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    processing_class=tokenizer,
    train_dataset=load_dataset("json", data_files="chats.jsonl", split="train"),
)
trainer.train()
text = "Write about the sea."
read = AutoTokenizer.from_pretrained("teacher").decode(tokenizer(text)["input_ids"])
print("the teacher reads what the student wrote:", text == read)
'''
SAME = (ROOT / "fixtures/models/healthy/tokenizer.json").read_text(encoding="utf-8")


def other() -> str:
    """The same words with other numbers."""
    tokenizer = json.loads(SAME)
    words = tokenizer["model"]["vocab"]
    taken = {token["content"] for token in tokenizer["added_tokens"]}
    names = [word for word in words if word not in taken]
    numbers = sorted(words[name] for name in names)
    words.update(zip(sorted(names), numbers, strict=True))
    return json.dumps(tokenizer)


REPORTS = (
    Report(
        "huggingface/trl#3333",
        "current",
        "asked in the order of the rows: False",
        r"shuffle",
        {"train.py": CURRICULUM, "sums.jsonl": HARDER},
        changed(
            CURRICULUM, ("num_train_epochs=1,\n", "num_train_epochs=1,\n"
                         "        shuffle_dataset=False,\n"),
        ),
    ),
    Report(
        "sovereignai.rip/research/dpo-regression-postmortem",
        "current",
        "the gradient is nearly nothing: True",
        r"max_length|\bcuts?\b|truncat",
        {"train.py": MARGINS, "pairs.jsonl": PAIRS},
        changed(MARGINS, ("max_length=64", "max_length=512")),
    ),
    Report(
        "huggingface/trl#4562",
        "current",
        "the teacher reads what the student wrote: False",
        r"teacher",
        {"train.py": DISTILLED, "chats.jsonl": CHATS, "teacher/tokenizer.json": other()},
        {"teacher/tokenizer.json": SAME},
        small={"teacher": "healthy 320"},
    ),
)  # fmt: skip
