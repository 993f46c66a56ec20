"""Runs that need packages that are not installed, and adapters that the run did not ask for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from commands import checks, died
from laid import ROOT, Interpreter

COMMON = {
    "model_name_or_path": "model",
    "dataset_name": "data",
    "output_dir": "out",
    "max_steps": 1,
    "per_device_train_batch_size": 4,
    "use_cpu": True,
    "bf16": False,
    "report_to": "none",
}
ONLINE = {"num_generations": 4, "max_completion_length": 8, "reward_model_name_or_path": "reward"}
BITS, OF_DEEPSPEED = "bitsandbytes", "'deepspeed>=0.9.3' distribution was not found"
ASKED: tuple[tuple[str, str, dict[str, Any], str, str], ...] = (
    ("current", "grpo", {"use_vllm": True}, "vllm", "vLLM is not available"),
    ("current", "sft", {"load_in_4bit": True}, BITS, f"requires {BITS}"),
    ("current", "sft", {"load_in_8bit": True}, BITS, f"requires {BITS}"),
    ("current", "sft", {"optim": "adamw_8bit"}, BITS, "need to install `bitsandbytes`"),
    ("current", "sft", {"optim": "paged_lion_32bit"}, BITS, "need to install `bitsandbytes`"),
    ("current", "sft", {"use_liger_kernel": True}, "liger-kernel", "is not available"),
    ("current", "sft", {"deepspeed": "zero.json"}, "deepspeed", OF_DEEPSPEED),
    ("four", "sft", {"use_peft": True}, "peft", "need to have PEFT library installed"),
    ("grpo-first", "grpo", {"use_vllm": True}, "vllm", "vLLM is not available"),
    ("grpo-first", "sft", {"load_in_4bit": True}, BITS, "metadata was found for bitsandbytes"),
    ("grpo-first", "sft", {"optim": "adamw_8bit"}, BITS, "`bitsandbytes` is not installed"),
)


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "trainer", "more", "package", "error"), ASKED)
def test_a_package_that_the_run_needs(
    environment: str,
    trainer: str,
    more: Mapping[str, Any],
    package: str,
    error: str,
    tmp_path: Path,
    interpreter: Interpreter,
) -> None:
    python, rule = interpreter(environment), "package-not-installed"
    laid_out(tmp_path, trainer, more)
    assert error in died(python, tmp_path, trainer)
    (finding,) = findings(python, tmp_path, trainer, rule)
    assert f"{package}, which {python} does not have" in finding["message"]
    assert (finding["severity"], finding["pointer"]) == ("error", f"/{next(iter(more))}")
    assert finding["remedy"] == f"{python} -m pip install --upgrade {package}"


@pytest.mark.slow
def test_what_is_installed_is_no_finding(tmp_path: Path, interpreter: Interpreter) -> None:
    rule = "package-not-installed"
    laid_out(tmp_path, "sft", {"use_peft": True, "lora_target_modules": "all-linear"})
    assert died(interpreter("current"), tmp_path, "sft") == ""
    assert findings(interpreter("current"), tmp_path, "sft", rule) == []
    laid_out(tmp_path / "online", "grpo", {"use_vllm": True})
    assert findings(interpreter("engine"), tmp_path / "online", "grpo", rule) == []


@pytest.mark.slow
@pytest.mark.parametrize("with_peft", [False, True])
def test_lora_without_use_peft_trains_the_whole_model(
    with_peft: bool, tmp_path: Path, interpreter: Interpreter
) -> None:
    python, rule = interpreter("current"), "adapter-not-asked-for"
    lora = {"lora_r": 8, "lora_target_modules": "all-linear"}
    laid_out(tmp_path, "sft", {**lora, "use_peft": True} if with_peft else lora)
    assert died(python, tmp_path, "sft") == ""
    saved = {"adapter_model.safetensors", "model.safetensors"} & {
        path.name for path in (tmp_path / "out").iterdir()
    }
    assert saved == {"adapter_model.safetensors" if with_peft else "model.safetensors"}
    severities = [finding["severity"] for finding in findings(python, tmp_path, "sft", rule)]
    assert severities == ([] if with_peft else ["warning"])


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "dropped"), [("four", True), ("current", False)])
def test_the_command_of_an_older_trl_drops_arguments_of_the_model(
    environment: str, dropped: bool, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    missing, drops = "flash-attention-not-installed", "argument-dropped-by-command"
    laid_out(tmp_path, "kto", {"attn_implementation": "flash_attention_2"})
    assert bool(died(python, tmp_path, "kto")) != dropped
    flags = ("--select", missing, "--select", drops, "--trainer", "kto")
    outcomes = checks(tmp_path / "run.yaml", python, *flags)
    rules = [rule for rule in (missing, drops) if outcomes[rule]["findings"]]
    assert rules == [drops if dropped else missing]


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "trainer"), [("four", "kto"), ("grpo-first", "dpo")])
def test_the_command_makes_a_pad_token(
    environment: str, trainer: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    laid_out(tmp_path, trainer, {})
    config = tmp_path / "model/tokenizer_config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "pad_token": None}))
    assert died(python, tmp_path, "kto") == ""
    severities = [
        finding["severity"]
        for finding in findings(python, tmp_path, "kto", "tokenizer-pad-missing")
    ]
    assert severities in ([], ["note"])


def laid_out(folder: Path, trainer: str, more: Mapping[str, Any]) -> None:
    """The healthy models, rows, a DeepSpeed file, and a run file with these arguments."""
    rows = {"sft": "messages", "grpo": "prompts", "kto": "labelled", "dpo": "preferences"}[trainer]
    for name, model in (("model", "healthy"), ("reward", "reward")):
        shutil.copytree(ROOT / "fixtures/models" / model, folder / name)
    shutil.copytree(ROOT / "fixtures/data" / rows, folder / "data")
    (folder / "zero.json").write_text('{"zero_optimization": {"stage": 2}}')
    run = {**COMMON, **(ONLINE if trainer == "grpo" else {}), **more}
    (folder / "run.yaml").write_text(json.dumps(run, indent=2))


def findings(python: Path, folder: Path, trainer: str, rule: str) -> list[dict[str, Any]]:
    """What a rule finds in the run."""
    flags = ("--select", rule, "--trainer", trainer)
    return list(checks(folder / "run.yaml", python, *flags)[rule]["findings"])
