"""Options of `accelerate launch` win over its file; a file that is not there is reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from trl_doctor_rules._recorded.candidate import CONFIG, under

from trl_doctor.commands.cli import main

SCRIPT = """from trl import SFTConfig, SFTTrainer
SFTTrainer("model", args=SFTConfig(output_dir="out", gradient_checkpointing=True, {own}))
"""
DEEPSPEED = {"zero_optimization": {"stage": 3}, "train_micro_batch_size_per_gpu": "auto"}
PARTS = {"gradient_accumulation_steps": 4, "zero_stage": 4}
FSDP = {"fsdp_activation_checkpointing": True, "fsdp_auto_wrap_policy": "NO_WRAP"}
CASES: dict[str, tuple[str, object, str, set[str]]] = {
    "a precision": ("--mixed_precision no", {"distributed_type": "MULTI_GPU",
                    "mixed_precision": False}, "", set()),
    "a stage": ("--zero_stage 2 --gradient_accumulation_steps 1",
                {"distributed_type": "DEEPSPEED", "deepspeed_config": PARTS}, "", set()),
    "no option": ("--num_processes 2",
                  {"distributed_type": "DEEPSPEED", "deepspeed_config": PARTS}, "",
                  {"accelerate-file-refused", "deepspeed-differs-from-run"}),
    "a switch": ("--multi_gpu --num_processes 2",
                 {"distributed_type": "DEEPSPEED", "deepspeed_config": PARTS}, "", set()),
    "checkpointing": ("--fsdp_activation_checkpointing false",
                      {"distributed_type": "FSDP", "fsdp_config": FSDP}, "", set()),
    "checkpointing twice": ("--num_processes 2", {"distributed_type": "FSDP", "fsdp_config": FSDP},
                            "", {"fsdp-checkpoints-twice"}),
    "another precision": ("--mixed_precision bf16", {"distributed_type": "DEEPSPEED",
                          "deepspeed_config": {"zero_stage": 2}}, "bf16=False",
                          {"deepspeed-differs-from-run"}),
    "a stage beside DeepSpeed's file": ("--zero_stage 3", {"distributed_type": "DEEPSPEED",
                                        "deepspeed_config": {"deepspeed_config_file": "ds.json"}},
                                        "", set()),
    "no file": ("--num_processes 2", None, "", {"launcher-file-not-found"}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_file_as_the_launcher_reads_it(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options, file, own, expected = CASES[case]
    monkeypatch.chdir(tmp_path)
    for name, content in under("model", {"config.json": CONFIG}).items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(json.dumps(content))
    Path("train.py").write_text(SCRIPT.format(own=own))
    Path("job.sh").write_text(
        f"#!/bin/bash\naccelerate launch --config_file acc.yaml {options} train.py\n"
    )
    Path("ds.json").write_text(json.dumps(DEEPSPEED))
    if file is not None:
        Path("acc.yaml").write_text(json.dumps(file))
    flags = ["--level", "files", "--format", "json", "--offline", "--with", "trl==1.16.0"]
    result = CliRunner().invoke(main, ["check", "job.sh", *flags])
    (target,) = json.loads(result.stdout)["targets"]
    errors = {
        check["rule"]
        for check in target["checks"]
        for finding in check["findings"]
        if finding["severity"] == "error"
        and check["rule"].startswith(("accelerate-", "deepspeed-", "fsdp-", "launcher-file"))
    }
    assert errors == expected
