"""Repairs of launcher files: the first process dies, and after `--fix` the same process trains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import doctor
from jobs import DS, TWO, Settings, ends_with, laid, zero
from laid import Interpreter

pytestmark = pytest.mark.environment("cluster")
STEPS = """# of the team
distributed_type: DEEPSPEED
num_processes: 1
num_machines: 1
deepspeed_config:
  zero_stage: 2
  gradient_accumulation_steps: 4  # as on the cluster
"""
LATER = {"type": "warmuplr", "params": {"warmup_num_steps": "auto"}}
CASES: dict[str, tuple[str, Settings, dict[str, Any], str, str, str]] = {
    "a batch": (
        "", {**TWO, "train_batch_size": 7}, DS,
        "ds train_batch_size=7 vs hf", '"train_batch_size": 7', '"train_batch_size": "auto"',
    ),
    "a key of ZeRO": (
        "", zero(stage=2, overlap_com=True), DS,
        "validation error for DeepSpeedZeroConfig", '"overlap_com"', '"overlap_comm"',
    ),
    "a scheduler": (
        "", {**TWO, "scheduler": LATER}, DS,
        "does not recognize LR scheduler", '"warmuplr"', '"WarmupLR"',
    ),
    "accumulation": (
        STEPS, None, {}, "ds gradient_accumulation_steps=4 vs hf",
        "gradient_accumulation_steps: 4", "gradient_accumulation_steps: auto",
    ),
    "a key of accelerate": (
        STEPS.replace("num_machines", "num_machine").replace(": 4", ": auto"), None, {},
        "had unknown keys (['num_machine'])", "num_machine:", "num_machines:",
    ),
}  # fmt: skip
"""accelerate's file, DeepSpeed's, arguments, the error, and what a repair replaces by what."""


@pytest.mark.parametrize("case", CASES)
def test_a_repaired_launcher_file_trains(
    case: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("cluster")
    text, deepspeed, own, dies, old, new = CASES[case]
    target, arguments = laid(tmp_path / "job", {} if text else None, deepspeed, own)
    file = target.with_name("acc.yaml" if text else "ds.json")
    if text:
        file.write_text(text)
    before = file.read_text()
    assert dies in ends_with(python, target.parent, arguments)
    where = ["--python", str(python), "--level", "files", "--offline"]
    doctor("check", target, "--fix", "--unsafe-fixes", *where)
    assert sorted(file.read_text().split()) == sorted(before.replace(old, new).split())
    assert ends_with(python, target.parent, arguments) == ""
    doctor("undo", target)
    assert file.read_text() == before
