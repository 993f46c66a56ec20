"""Threads of a thirty-seventh list: which rows are trained on, and which are measured."""

from reports.report import Report, changed, rows

PARTED = '''\
"""Trains on 85 % of the functions, validates on 10 %, and keeps the rest for the paper."""

import argparse

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import SFTConfig, SFTTrainer


def split(rows, train_ratio, val_ratio, seed=42):
    """Three parts that have no row in common."""
    test_ratio = 1.0 - train_ratio
    first = rows.train_test_split(test_size=test_ratio, seed=seed)
    share = val_ratio / (train_ratio + val_ratio)
    second = first["train"].train_test_split(test_size=share, seed=seed)
    return second["train"], second["test"], first["test"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-ratio", type=float, default=0.85)
    parser.add_argument("--val-ratio", type=float, default=0.10)
    options = parser.parse_args()
    set_seed(1)
    rows = load_dataset("json", data_files="functions.jsonl", split="train")
    train, validation, test = split(rows, options.train_ratio, options.val_ratio)
    trainer = SFTTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=AutoTokenizer.from_pretrained("model"),
        train_dataset=train,
        eval_dataset=validation,
        args=SFTConfig(
            output_dir="functions",
            max_steps=2,
            per_device_train_batch_size=2,
            eval_strategy="steps",
            eval_steps=2,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    test.to_json("test.jsonl")
    print(f"rows to train on: {len(train)}, to validate: {len(validation)}, to test: {len(test)}")


if __name__ == "__main__":
    main()
'''
MEASURED = '''\
"""DPO on pairs of answers; then, how often the trained model prefers the chosen one."""

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, set_seed
from trl import DPOConfig, DPOTrainer


@torch.no_grad()
def logp(model, tokenizer, prompt, answer):
    """The log-probability of an answer after its prompt."""
    ids = tokenizer(prompt + answer, return_tensors="pt")["input_ids"]
    begin = len(tokenizer(prompt)["input_ids"])
    logps = model(ids).logits[0, begin - 1 : -1].log_softmax(-1)
    return logps.gather(1, ids[0, begin:, None]).sum().item()


def preference_rate(model, tokenizer, pairs):
    right = 0
    for row in pairs:
        chosen, rejected = (
            logp(model, tokenizer, row["prompt"], row[side]) for side in ("chosen", "rejected")
        )
        right += chosen > rejected
    return right


def main():
    set_seed(1)
    tokenizer = AutoTokenizer.from_pretrained("model")
    pairs = load_dataset("json", data_files="pairs.jsonl", split="train")
    trainer = DPOTrainer(
        model=AutoModelForCausalLM.from_pretrained("model", dtype=torch.float32),
        processing_class=tokenizer,
        train_dataset=pairs,
        args=DPOConfig(
            output_dir="preferences",
            num_train_epochs=3,
            per_device_train_batch_size=2,
            learning_rate=1e-3,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
        ),
    )
    trainer.train()
    measured = pairs
    right = preference_rate(trainer.model.eval(), tokenizer, measured)
    seen = sum(row["prompt"] in pairs["prompt"] for row in measured)
    print(f"preferred: {right} of {len(measured)}; of these were trained on: {seen}")


if __name__ == "__main__":
    main()
'''
THINGS = ("sea", "sun", "moon", "rain", "wind", "snow")
BETTER = rows(
    *(
        {
            "prompt": f"What is the {thing}?",
            "chosen": f" The {thing} is a part of nature.",
            "rejected": f" Who knows what a {thing} is.",
        }
        for thing in THINGS
    )
)
UNSEEN = rows(
    *(
        {
            "prompt": f"Where is the {thing}?",
            "chosen": f" The {thing} is in the garden.",
            "rejected": f" Look for the {thing} yourself.",
        }
        for thing in ("cat", "spade", "bench", "rose")
    )
)
FUNCTIONS = rows(*({"text": f"function f{n}() {{ return {n * n}; }}"} for n in range(100)))
REPORTS = (
    Report(
        "agorevski/A1.5_Smart_Contract_Bytecode_To_Code_Generator#11",
        "current",
        r"to train on: 7\d",
        r"train_ratio|0\.85|85 ?%|76|test_ratio|ratio|share of the rows",
        {"train.py": PARTED, "functions.jsonl": FUNCTIONS},
        changed(
            PARTED,
            (
                "    test_ratio = 1.0 - train_ratio\n",
                "    test_ratio = 1.0 - train_ratio - val_ratio\n",
            ),
        ),
    ),
    Report(
        "jsboige/CoursIA#12428",
        "current",
        "were trained on: 6",
        r"(measur|evaluat|asked|prefer).{0,120}(trained|same rows|learnt)|rows? .{0,60}trained on",
        {"train.py": MEASURED, "pairs.jsonl": BETTER, "held_out.jsonl": UNSEEN},
        changed(
            MEASURED,
            (
                "    measured = pairs\n",
                '    measured = load_dataset("json", data_files="held_out.jsonl", split="train")\n',
            ),
        ),
    ),
)
