"""Lays out a job with files of accelerate and DeepSpeed, and runs its first process for real."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hosts import real_run

ROOT = Path(__file__).parents[3]
FIRST = Path(__file__).with_name("first_process.py")
TRAIN = """from datasets import Dataset
from trl import SFTConfig, SFTTrainer

rows = Dataset.from_list([{{"text": "one two three four"}}] * 16)
arguments = SFTConfig(
    output_dir="out",
    max_steps=1,
    learning_rate=1e-5,
    report_to="none",
    save_strategy="no",
    bf16=False,
    gradient_checkpointing=False,
{own})
trainer = SFTTrainer("model", args=arguments, train_dataset=rows)
trainer.train()
{after}
"""
AUTO = {
    "train_batch_size": "auto",
    "train_micro_batch_size_per_gpu": "auto",
    "gradient_accumulation_steps": "auto",
}
TWO: dict[str, Any] = {**AUTO, "zero_optimization": {"stage": 2}}
GATHERED = {"stage": 3, "stage3_gather_16bit_weights_on_model_save": True}
DS = {"deepspeed": "ds.json"}
Settings = Mapping[str, Any] | None


def zero(**settings: Any) -> dict[str, Any]:
    return {**AUTO, "zero_optimization": settings}


def acc(kind: str = "DEEPSPEED", **settings: Any) -> dict[str, Any]:
    return {"distributed_type": kind, "num_processes": 1, "num_machines": 1, **settings}


def laid(
    folder: Path, accelerate: Settings, deepspeed: Settings, own: Mapping[str, Any], after: str = ""
) -> tuple[Path, list[str]]:
    """The job in a folder: what to check, and the arguments of its first process."""
    shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
    lines = "".join(f"    {name}={value!r},\n" for name, value in own.items())
    (folder / "train.py").write_text(TRAIN.format(own=lines, after=after))
    if deepspeed is not None:
        (folder / "ds.json").write_text(json.dumps(deepspeed))
    if accelerate is None:
        return folder / "train.py", ["train.py"]
    (folder / "acc.yaml").write_text(json.dumps(accelerate))
    job = folder / "job.sh"
    job.write_text("#!/bin/bash\naccelerate launch --config_file acc.yaml train.py\n")
    return job, ["train.py", "--config_file", "acc.yaml"]


def ends_with(python: Path, folder: Path, arguments: list[str]) -> str:
    """The end of what the real first process writes; "" where it trains."""
    process = real_run(python, [str(FIRST), *arguments], cwd=folder, more={"DS_ACCELERATOR": "cpu"})
    return "" if process.returncode == 0 else (process.stdout + process.stderr)[-3000:]
