"""Builds a trainer, has it examined from inside, and answers in JSON: `python inside.py SITE`.

SITE is where the doctor is installed. The request names what the script does to its tokenizer.
"""

import json
import site
import sys
import tempfile

site.addsitedir(sys.argv[1])
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

import trl_doctor

asked = json.load(sys.stdin)
tokenizer = AutoTokenizer.from_pretrained(asked["model"])
model = AutoModelForCausalLM.from_pretrained(asked["model"])
if asked["added"]:
    tokenizer.add_tokens([f"<extra_{number}>" for number in range(asked["added"])])
if asked["resize"]:
    model.resize_token_embeddings(len(tokenizer))
callback = trl_doctor.DoctorCallback(fail_on=None)
trainer = GRPOTrainer(
    model=model,
    reward_funcs=lambda completions, **_: [1.0 for _ in completions],
    args=GRPOConfig(
        output_dir=tempfile.mkdtemp(),
        use_cpu=True,
        bf16=False,
        report_to="none",
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=4,
        max_steps=4,
        logging_steps=1,
        save_strategy="no",
    ),
    train_dataset=Dataset.from_dict({"prompt": [[{"role": "user", "content": "Count."}]] * 16}),
    processing_class=tokenizer,
    callbacks=[callback],
)
found = []
try:
    report = trl_doctor.check(trainer)
except trl_doctor.Findings as error:
    report = error.report
    found = [entry.rule for entry in report.roots]
if asked["train"]:
    trainer.train()
json.dump(
    {
        "raised": found,
        "verdict": report.verdict.word,
        "crashed": report.verdict.crashed,
        "told": callback.told,
        "checks": {check.rule: check.state for check in report.checks},
        "skipped": {check.rule: check.reason for check in report.checks},
    },
    sys.stdout,
)
