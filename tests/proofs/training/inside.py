"""Builds trainers, has them examined from inside, and answers in JSON: `python inside.py SITE`.

SITE is where the doctor is installed. The request names what each script does to its objects.
"""

import json
import random
import site
import sys
import tempfile

site.addsitedir(sys.argv[1])
import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

import trl_doctor

task = json.load(sys.stdin)


def built(added=0, resize=False, eos=None, dtype="float32", callbacks=(), **arguments):
    tokenizer = AutoTokenizer.from_pretrained(task["model"])
    model = AutoModelForCausalLM.from_pretrained(task["model"], dtype=dtype)
    if added:
        tokenizer.add_tokens([f"<extra_{number}>" for number in range(added)])
    if resize:
        model.resize_token_embeddings(len(tokenizer))
    if eos:
        tokenizer.eos_token = eos
        model.generation_config.eos_token_id = tokenizer.eos_token_id
    usual = {
        "output_dir": tempfile.mkdtemp(),
        "use_cpu": True,
        "bf16": False,
        "report_to": "none",
        "per_device_train_batch_size": 2,
        "num_generations": 2,
        "max_completion_length": 4,
        "max_steps": 4,
        "logging_steps": 1,
        "save_strategy": "no",
    }
    return GRPOTrainer(
        model=model,
        reward_funcs=lambda completions, **_: [1.0 for _ in completions],
        args=GRPOConfig(**{**usual, **arguments}),
        train_dataset=Dataset.from_dict({"prompt": [[{"role": "user", "content": "Count."}]] * 16}),
        processing_class=tokenizer,
        callbacks=list(callbacks),
    )


def refusing(rows):
    """A collator for rows of one length."""
    return {"input_ids": torch.tensor([row["input_ids"] for row in rows])}


def answering(frozen=False, padded=False, max_length=64, collator=None):
    """A trainer that learns from rows."""
    tokenizer = AutoTokenizer.from_pretrained(task["model"])
    model = AutoModelForCausalLM.from_pretrained(task["model"])
    model.requires_grad_(not frozen)
    talk = {
        "prompt": [{"role": "user", "content": "Count."}],
        "completion": [{"role": "assistant", "content": "One, two."}],
    }
    more = {**talk, "completion": [{"role": "assistant", "content": "One, two, three."}]}
    rows = Dataset.from_list([talk, more] * 2)
    if padded:
        words = tokenizer("One, two.<|im_end|>", padding="max_length", max_length=32)
        words = {"input_ids": words["input_ids"], "labels": words["input_ids"]}
        rows = Dataset.from_list([words] * 4)
    return SFTTrainer(
        model=model,
        args=SFTConfig(
            output_dir=tempfile.mkdtemp(), use_cpu=True, bf16=False, report_to="none",
            max_length=max_length, max_steps=1, save_strategy="no",
        ),
        train_dataset=rows,
        processing_class=tokenizer,
        data_collator=collator and globals()[collator],
    )  # fmt: skip


def end_of_training(trainer):
    """How the real training of a trainer ends, in one line."""
    before = [weights.detach().clone() for weights in trainer.model.parameters()]
    try:
        trainer.train()
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:100]
    after = trainer.model.parameters()
    moved = sum(not weights.equal(old) for weights, old in zip(after, before, strict=True))
    return "it learns" if moved else "no weight moves"


class Printer:
    """What IPython prints with."""

    def text(self, text):
        self.printed = text


answers = {}
for name, request in task["trainers"].items():
    rules = []
    try:
        report = trl_doctor.check(built(**request), fail_on="warning")
    except trl_doctor.Findings as error:
        report = error.report
        rules = [entry.rule for entry in report.roots]
        assert "trl-doctor-live" not in str(error), str(error)
        assert "trainer." in str(error), str(error)
    answers[name] = {
        "raised": rules,
        "verdict": report.verdict.word,
        "crashed": report.verdict.crashed,
        "skipped": {check.rule: check.reason for check in report.checks},
    }
rows_of = {}
for name, request in task["rows"].items():
    trainer = answering(**request)
    random.seed(7)
    report = trl_doctor.check(trainer, fail_on=None)
    rows_of[name] = {
        "found": [entry.rule for entry in report.roots],
        "crashed": report.verdict.crashed,
        "passed": report.verdict.word == "passed",
        "same numbers": random.random() == random.Random(7).random(),
        "ends": end_of_training(trainer),
    }
callback = trl_doctor.DoctorCallback(fail_on=None)
if task["train"]:
    built(callbacks=[callback]).train()
cell = Printer()
trl_doctor.check(answering())._repr_pretty_(cell, False)
json.dump(
    {"trainers": answers, "rows": rows_of, "told": callback.told, "cell": cell.printed}, sys.stdout
)
