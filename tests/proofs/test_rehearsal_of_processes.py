"""What only several processes show, on the CPU: DDP, FSDP2 and DeepSpeed, well and broken."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rehearsed import SFT
from test_rehearsal import ROOT, found, measured, rehearsal

Interpreter = Callable[[str], Path]
TRAINER = "trainer = SFTTrainer(model=model, "
LORA = (
    "from peft import LoraConfig\n"
    'adapter = LoraConfig(r=4, target_modules=["q_proj"], task_type="CAUSAL_LM")\n'
    "trainer = SFTTrainer(model=model, peft_config=adapter, "
)
REENTRANT = (
    "    gradient_checkpointing=True,\n"
    '    gradient_checkpointing_kwargs={"use_reentrant": True},\n'
    "    ddp_find_unused_parameters=True,\n"
)
ALONE = (
    "import time\nimport torch.distributed as dist\n"
    "if trainer.args.process_index == 0:\n    dist.barrier()\nelse:\n    time.sleep(1000)\n"
)
FSDP2 = {
    "compute_environment": "LOCAL_MACHINE",
    "distributed_type": "FSDP",
    "fsdp_config": {
        "fsdp_version": 2,
        "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
        "fsdp_state_dict_type": "FULL_STATE_DICT",
    },
    "mixed_precision": "bf16",
    "num_machines": 2,
    "num_processes": 2,
}
ZERO = {
    "zero_optimization": {"stage": 2},
    "bf16": {"enabled": "auto"},
    "gradient_accumulation_steps": 4,
    "train_micro_batch_size_per_gpu": "auto",
    "train_batch_size": "auto",
}


def rehearsed(
    folder: Path, python: Path, script: str, *words: str
) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """The exit status, the findings and the end of a rehearsal of a script."""
    (folder / "models").symlink_to(ROOT / "fixtures/models")
    (folder / "train.py").write_text(script)
    status, report = rehearsal(folder, python, *words)
    return status, found(report), measured(report)


@pytest.mark.slow
def test_reentrant_checkpointing_of_an_adapter_dies_under_ddp(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    script = SFT.replace(TRAINER, LORA).replace(
        "    bf16=False,\n", "    bf16=False,\n" + REENTRANT
    )
    words = ("--processes", "2", "train.py")
    status, told, _ = rehearsed(tmp_path, interpreter("current"), script, *words)
    assert status == 1
    assert "mark a variable ready only once" in told["step-raises"][0]["message"]


@pytest.mark.slow
def test_a_hang_is_told_with_the_line_of_every_rank(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    script = SFT.replace("trainer.save_model", ALONE + "trainer.save_model")
    words = ("--timeout", "200", "--processes", "2", "train.py")
    status, told, _ = rehearsed(tmp_path, interpreter("current"), script, *words)
    assert status == 1
    message = told["processes-wait-for-each-other"][0]["message"]
    assert "rank 0 at train.py:19" in message and "rank 1 at train.py:21" in message


@pytest.mark.slow
def test_fsdp2_of_a_launch_file_runs(interpreter: Interpreter, tmp_path: Path) -> None:
    (tmp_path / "fsdp2.json").write_text(json.dumps(FSDP2))
    words = ("--", "accelerate", "launch", "--config_file", "fsdp2.json", "train.py")
    status, told, end = rehearsed(tmp_path, interpreter("current"), SFT, *words)
    assert (status, end["reached"]) == (0, "end"), (told, end)


@pytest.mark.slow
def test_a_deepspeed_file_that_differs_from_the_arguments_is_told(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    (tmp_path / "zero.json").write_text(json.dumps(ZERO))
    script = SFT.replace("    bf16=False,\n", '    bf16=False,\n    deepspeed="zero.json",\n')
    words = ("--processes", "2", "train.py")
    status, told, _ = rehearsed(tmp_path, interpreter("cluster"), script, *words)
    assert status == 1
    assert "DeepSpeed config values that mismatch" in told["step-raises"][0]["message"]
