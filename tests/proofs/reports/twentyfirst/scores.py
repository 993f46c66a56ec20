"""Threads of a twenty-first list: what scores an answer, and when it is asked."""

import json

from reports.report import PROMPTS, ROOT, Report, changed

CONFIG = json.loads((ROOT / "fixtures/models/reward/config.json").read_text())
UNPADDED = {"reward/config.json": json.dumps({**CONFIG, "pad_token_id": None})}
PIPED = """\
from datasets import load_dataset
from transformers import pipeline
from trl import GRPOConfig, GRPOTrainer

reward_pipe = pipeline("text-classification", model="reward", device="cpu")
SENT_KWARGS = {"top_k": None, "function_to_apply": "none", "batch_size": 2, "truncation": True}


def stack_reward(prompts, completions, **kwargs):
    texts = [f"Question: {q}\\n\\nAnswer: {a}" for q, a in zip(prompts, completions)]
    return [output[0]["score"] for output in reward_pipe(texts, **SENT_KWARGS)]


training_args = GRPOConfig(
    output_dir="stack",
    per_device_train_batch_size=4,
    num_generations=4,
    max_completion_length=16,
    max_steps=1,
    learning_rate=1.4e-5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=stack_reward,
    args=training_args,
    train_dataset=load_dataset("json", data_files="questions.jsonl", split="train"),
)
trainer.train()
"""
BASELINE = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def short(completions, **kwargs):
    return [-float(len(completion)) for completion in completions]


data = load_dataset("json", data_files="prompts.jsonl", split="train")
data = data.train_test_split(test_size=0.5, seed=0)
training_args = GRPOConfig(
    output_dir="grpo-eval",
    loss_type="grpo",
    per_device_train_batch_size=2,
    per_device_eval_batch_size=2,
    num_generations=2,
    max_completion_length=8,
    max_steps=1,
    learning_rate=1e-6,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=short,
    args=training_args,
    train_dataset=data["train"],
    eval_dataset=data["test"],
)
before = trainer.evaluate()
trainer.train()
after = trainer.evaluate()
print("loss before and after:", before["eval_loss"], after["eval_loss"])
"""
REPORTS = (
    Report(
        "huggingface/trl#422",
        "current",
        "Cannot handle batch sizes > 1 if no padding token is defined",
        "pad_token_id|padding token",
        {"train.py": PIPED, "questions.jsonl": PROMPTS, **UNPADDED},
        changed(
            PIPED,
            (
                'device="cpu")\n',
                'device="cpu")\n'
                "reward_pipe.model.config.pad_token_id = reward_pipe.tokenizer.pad_token_id\n",
            ),
        ),
        level="",
    ),
    Report(
        "unslothai/unsloth#6523",
        "four",
        "no attribute 'current_gradient_accumulation_steps'",
        r"evaluate\(\)|evaluat.{0,40}before|current_gradient_accumulation_steps",
        {"train.py": BASELINE, "prompts.jsonl": PROMPTS},
        changed(
            BASELINE,
            (
                "before = trainer.evaluate()\n",
                "trainer.current_gradient_accumulation_steps = 1\nbefore = trainer.evaluate()\n",
            ),
        ),
        level="",
    ),
)
