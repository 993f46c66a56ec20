"""Threads of a thirty-fourth list: trainings that die."""

from reports.report import PAIRS, TEXT, Report, changed, rows, turn

CHATS = rows(*({"messages": [turn("user", a)], "solution": b, "source": "forum"} for a, b in PAIRS))
TRIALS = '''\
"""Tries a few learning rates: each trial needs a fresh model."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

NAME = "model"


def model_init():
    return AutoModelForCausalLM.from_pretrained(NAME)


def arguments(rate):
    return SFTConfig(
        output_dir=f"trial-{rate}",
        max_steps=1,
        learning_rate=rate,
        per_device_train_batch_size=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    )


if __name__ == "__main__":
    data = load_dataset("json", data_files="notes.jsonl", split="train")
    tokenizer = AutoTokenizer.from_pretrained(NAME)
    for rate in (1e-4, 1e-3):
        trainer = SFTTrainer(
            args=arguments(rate),
            train_dataset=data,
            processing_class=tokenizer,
            model_init=model_init,
        )
        print(rate, trainer.train().training_loss)
'''
COLLATED = '''\
"""SFT of a small model on exported records, with a collator of transformers."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, DataCollatorForLanguageModeling
from trl import SFTConfig, SFTTrainer


def formatting_func(sample):
    return f"{sample['text']}"


def update_config(**kwargs):
    defaults = {
        "output_dir": "records",
        "max_steps": 1,
        "per_device_train_batch_size": 2,
        "remove_unused_columns": False,
        "report_to": "none",
        "save_strategy": "no",
        "use_cpu": True,
        "bf16": False,
    }
    return SFTConfig(**{**defaults, **kwargs})


def main():
    tokenizer = AutoTokenizer.from_pretrained("model")
    records = load_dataset("json", data_files="records.jsonl", split="train")
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        processing_class=tokenizer,
        args=update_config(learning_rate=2e-4),
        train_dataset=records,
        formatting_func=formatting_func,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
MATCH = '''\
"""Instruction tuning for a knowledge graph, with LoRA."""

import json
from pathlib import Path

from datasets import Dataset
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer


def records(path):
    lines = Path(path).read_text().splitlines()
    return Dataset.from_list([{"text": json.loads(line)["text"]} for line in lines])


def main():
    options = {
        "output_dir": "instruct-kgc",
        "num_train_epochs": 1,
        "per_device_train_batch_size": 2,
        "learning_rate": 5e-5,
        "eval_strategy": "no",
        "save_strategy": "epoch",
        "save_total_limit": 1,
        "load_best_model_at_end": True,
        "report_to": "none",
        "use_cpu": True,
        "bf16": False,
    }
    data = records("graph.jsonl").train_test_split(test_size=1, seed=0)
    trainer = SFTTrainer(
        model="model",
        args=SFTConfig(**options),
        train_dataset=data["train"],
        eval_dataset=data["test"],
        peft_config=LoraConfig(r=8, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"),
    )
    trainer.train()


if __name__ == "__main__":
    main()
'''
ASKED_FOR = '''\
"""GRPO on the questions of a forum."""

import re

from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def words(text):
    return set(re.findall(r"[a-z]+", text.lower()))


def near(completions, solution, **kwargs):
    """The share of the words of the solution that are in the answer."""
    texts = [one[0]["content"] for one in completions]
    return [len(words(a) & words(b)) / len(words(b)) for a, b in zip(texts, solution)]


def load(path):
    data = load_dataset("json", data_files=path, split="train")
    return data.remove_columns("source")


trainer = GRPOTrainer(
    model="model",
    reward_funcs=near,
    train_dataset=load("forum.jsonl"),
    args=GRPOConfig(
        output_dir="forum",
        max_steps=1,
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=12,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
'''
REPORTS = (
    Report(
        "blog.gitcode.com/13f23d74edf9366d57a0d92751c1c0fd#20250517",
        "grpo-first",
        "unexpected keyword argument 'model_init'",
        r"model_init",
        {"train.py": TRIALS, "notes.jsonl": TEXT},
        changed(TRIALS, ("model_init=model_init", "model=model_init()")),
    ),
    Report(
        "argilla-io/argilla#4513",
        "current",
        "Unable to create tensor",
        r"remove_unused_columns|\bcolumns?\b|collator|too many dimensions|create tensor",
        {"train.py": COLLATED, "records.jsonl": TEXT},
        changed(
            COLLATED,
            ('        "remove_unused_columns": False,\n', ""),
            (
                "        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),\n",
                "",
            ),
            (", DataCollatorForLanguageModeling\n", "\n"),
        ),
    ),
    Report(
        "zjunlp/DeepKE#394",
        "current",
        "requires the save and eval strategy to match",
        r"load_best_model_at_end|eval_strategy|strategy",
        {"train.py": MATCH, "graph.jsonl": TEXT},
        changed(MATCH, ('"eval_strategy": "no"', '"eval_strategy": "epoch"')),
    ),
    Report(
        "modelscope/ms-swift#5087",
        "current",
        "KeyError: 'prompt'",
        r"'?prompt'?\b",
        {"train.py": ASKED_FOR, "forum.jsonl": CHATS},
        changed(
            ASKED_FOR,
            (
                'return data.remove_columns("source")',
                'return data.remove_columns("source").rename_column("messages", "prompt")',
            ),
        ),
    ),
)
