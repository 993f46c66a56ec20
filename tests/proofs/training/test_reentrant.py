"""An adapter behind reentrant checkpointing: what is trained, and the report of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

RULE = "adapter-cut-off-by-checkpointing"
HEAD = """\
import random
from datasets import Dataset
from peft import LoraConfig
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer, RewardConfig, RewardTrainer
words = AutoTokenizer.from_pretrained("model")
args = dict(output_dir="out", report_to="none", use_cpu=True, per_device_train_batch_size=2,
            max_steps=2, learning_rate=1e-2, save_strategy="no")
"""
GRPO = """\
def lucky(completions, **columns):
    return [random.random() for _ in completions]
trainer = GRPOTrainer(
    "model",
    reward_funcs=lucky,
    args=GRPOConfig(gradient_checkpointing=True, max_completion_length=8, num_generations=2,
                    **args),
    train_dataset=Dataset.from_list([{"prompt": "One two"}] * 4),
    processing_class=words,
    peft_config=LoraConfig(target_modules=["q_proj"], task_type="CAUSAL_LM"),
)
"""
REWARD = """\
model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
trainer = RewardTrainer(
    model,
    args=RewardConfig(gradient_checkpointing=True, max_length=32, **args),
    train_dataset=Dataset.from_list([{"chosen": "One two", "rejected": "Six"}] * 4),
    processing_class=words,
    peft_config=LoraConfig(target_modules=["q_proj"], task_type="SEQ_CLS"),
)
"""
TAIL = """\
trainer.train()
moved = [bool(one.any()) for name, one in trainer.model.named_parameters() if "lora_B" in name]
print("MOVED", all(moved), len(moved))
"""
ON, OFF = (
    "gradient_checkpointing=True",
    '{}, gradient_checkpointing_kwargs={{"use_reentrant": False}}',
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "environment", "sign"),
    [
        (GRPO, "grpo-first", "element 0 of tensors does not require grad"),
        (REWARD, "grpo-shapes", "MOVED False"),
    ],
    ids=["GRPO", "Reward"],
)
def test_an_adapter_behind_checkpointing(
    tmp_path: Path, interpreter: Interpreter, code: str, environment: str, sign: str
) -> None:
    python = interpreter(environment)
    for model, fixture in (("model", "healthy"), ("reward", "reward")):
        (tmp_path / model).symlink_to(ROOT / "fixtures/models" / fixture)
    path = with_peft(tmp_path / "more", interpreter("current"))
    script = tmp_path / "train.py"
    script.write_text(HEAD + code + TAIL)
    assert sign in trained(python, script, path) and len(messages(python, script)) == 1
    script.write_text(HEAD + code.replace(ON, OFF.format(ON)) + TAIL)
    assert "MOVED True" in trained(python, script, path) and messages(python, script) == []


def with_peft(folder: Path, python: Path) -> Path:
    """A folder with peft alone: the environments of these releases have none."""
    (packages,) = (python.parent.parent / "lib").glob("python*/site-packages")
    for package in packages.glob("peft*"):
        shutil.copytree(package, folder / package.name)
    return folder


def trained(python: Path, script: Path, path: Path) -> str:
    """What the real run says, with a package more."""
    process = ran(python, script.name, cwd=script.parent, PYTHONPATH=str(path))
    return process.stdout + process.stderr


def messages(python: Path, script: Path) -> list[str]:
    """What the doctor reports from the files."""
    outcomes = checks(script, python, "--level", "files", statuses=(0, 1, 3))[RULE]
    return [finding["message"] for finding in outcomes["findings"]]
