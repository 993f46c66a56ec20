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


OWN_NAMES = """import argparse
from dataclasses import dataclass
from transformers import HfArgumentParser
from trl import SFTConfig, SFTTrainer
{parser}
SFTTrainer("model", args=SFTConfig(output_dir="out", learning_rate=args.lr))
"""
PARSERS = {
    "argparse": "parser = argparse.ArgumentParser()\n"
    "parser.add_argument('--lr', type=float, default=1e-5)\nargs = parser.parse_args()",
    "dataclass": "@dataclass\nclass Own:\n    lr: float = 1e-5\n"
    "(args,) = HfArgumentParser(Own).parse_args_into_dataclasses()",
}


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize(("words", "file"), [("--lr 4", "job.sh"), ("--lr=4", "job.sh")])
def test_an_option_of_another_name_is_at_the_line(
    parser: str, words: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(OWN_NAMES.format(parser=PARSERS[parser]))
    Path("job.sh").write_text(f"python train.py {words}\n")
    options = ("--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files")
    output = CliRunner().invoke(main, ["check", "job.sh", *options, "-o", "concise"]).output
    assert f"{file}:1:17: warning argument-learning-rate-too-large" in output, output
    output = CliRunner().invoke(main, ["check", "train.py", *options, "--", "--lr", "4"]).output
    assert "train.py:" in output and "learning_rate is 4" in output
