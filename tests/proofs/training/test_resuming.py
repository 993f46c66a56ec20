"""Runs that cannot go on from a checkpoint: their own, or one of another adapter."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import checks, died, ran
from laid import ROOT

Interpreter = Callable[[str], Path]
RUN: dict[str, Any] = {
    "model_name_or_path": "model", "dataset_name": "data", "output_dir": "out", "bf16": False,
    "use_cpu": True, "report_to": "none", "save_strategy": "steps", "save_steps": 1,
}  # fmt: skip
LORA = {"use_peft": True, "lora_r": 8}
GROUPS = "loaded state dict contains a parameter group that doesn't match the size of optimizer"
RULE, OWN = "resume-adapter-differs", "run-does-not-resume"
OTHERS: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "rank": (LORA, {**LORA, "lora_r": 16}, "size mismatch for", "its r is 8, and lora_r is 16"),
    "modules": (
        LORA,
        {**LORA, "lora_target_modules": ["q_proj", "k_proj", "v_proj"]},
        GROUPS,
        "its target modules are q_proj, v_proj",
    ),
    "none": (LORA, {}, "Can't find a checkpoint index", "and the run trains none"),
    "new": ({}, LORA, GROUPS, "and the run trains an adapter"),
    "alpha": (LORA, {**LORA, "lora_alpha": 64}, "", ""),
    "same": (LORA, LORA, "", ""),
}
"""The run that saved, the one that resumes, its error, and what the doctor says."""


def lay(folder: Path, run: dict[str, Any], rows: str = '{"text": "One two three."}\n') -> Path:
    shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
    (folder / "data").mkdir()
    (folder / "data/train.jsonl").write_text(rows * 4)
    (folder / "run.yaml").write_text(json.dumps(run))
    return folder / "run.yaml"


def findings_of(file: Path, python: Path, rule: str, *flags: str) -> list[dict[str, Any]]:
    outcomes = checks(file, python, "--select", rule, *flags, cwd=file.parent)[rule]
    assert outcomes["state"] in ("clear", "found", "not concerned"), outcomes
    findings: list[dict[str, Any]] = outcomes["findings"]
    return findings


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_a_checkpoint_of_another_adapter(
    name: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("current")
    before, after, error, says = OTHERS[name]
    file = lay(tmp_path, {**RUN, "max_steps": 1, **before})
    assert died(python, tmp_path, "sft") == ""
    resumes = {**RUN, "max_steps": 2, "resume_from_checkpoint": "out/checkpoint-1", **after}
    file.write_text(json.dumps(resumes))
    findings = findings_of(file, python, RULE, "--trainer", "sft", "--level", "files")
    happened = died(python, tmp_path, "sft")
    assert error in happened if error else not happened, happened[-500:]
    assert [says in finding["message"] for finding in findings] == ([True] if says else [])


TWICE = """\
from datasets import load_dataset
from trl import DPOConfig, DPOTrainer
from transformers import AutoModelForCausalLM, AutoTokenizer

rows = load_dataset("json", data_files="data/train.jsonl", split="train")
tokenizer = AutoTokenizer.from_pretrained("model")
model = AutoModelForCausalLM.from_pretrained("model")
for steps, checkpoint in ((1, None), (2, "out/checkpoint-1")):
    args = DPOConfig(output_dir="out", max_steps=steps, save_steps=1, use_cpu=True, bf16=False,
                     per_device_train_batch_size=2, report_to="none")
    trainer = DPOTrainer(model, args=args, train_dataset=rows, processing_class=tokenizer)
    trainer.train(resume_from_checkpoint=checkpoint)
"""
PAIR = '{"prompt": "One two", "chosen": " three.", "rejected": " four."}\n'


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["ppo-first", "grpo-first", "current"])
def test_a_run_that_cannot_read_what_it_saved(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    """A warning where nothing is to be resumed: the libraries resume no model here."""
    python, old = interpreter(environment), environment == "ppo-first"
    run = {**RUN, "trainer": "dpo", "max_steps": 2}
    file = lay(tmp_path, run, PAIR)
    (tmp_path / "train.py").write_text(TWICE)
    level = ("--level", "tiny")
    first = findings_of(file, python, OWN, *level)
    assert [finding["severity"] for finding in first] == (["warning"] if old else [])
    happened = ran(python, "train.py", cwd=tmp_path)
    assert ("Weights only load failed" in happened.stderr) == old, happened.stderr[-500:]
    assert bool(happened.returncode) == old
    second = findings_of(file, python, OWN, *level)  # there is a checkpoint now
    assert [finding["severity"] for finding in second] == (["error"] if old else [])
    assert all("Weights only load failed" in finding["message"] for finding in second)
    assert all("install transformers 4.47.0 or newer" in finding["remedy"] for finding in second)
    for finding in findings_of(file, python, OWN, *level, "--keep", str(tmp_path / "kept")):
        (again,) = (line for line in finding["evidence"] if line.startswith("again: "))
        assert again.endswith("repeat.py resume")
        repeated = ran(python, *again.split()[2:], cwd=tmp_path)
        assert "Weights only load failed" in repeated.stderr


MOE: dict[str, Any] = {
    "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "head_dim": 16,
    "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
}  # fmt: skip
EXPERTS = """\
import sys
import torch
from datasets import load_dataset
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import SFTConfig, SFTTrainer

MODE = sys.argv[1]
torch.manual_seed(0)
rows = load_dataset("json", data_files="data/train.jsonl", split="train")
AutoModelForCausalLM.from_config(AutoConfig.from_pretrained("model")).save_pretrained("made")


def trainer_of(steps, model="made", **more):
    args = SFTConfig(output_dir="out", max_steps=steps, save_strategy="steps", save_steps=1,
                     per_device_train_batch_size=2, learning_rate=1e-2, use_cpu=True, bf16=False,
                     report_to="none", **more)
    return SFTTrainer(AutoModelForCausalLM.from_pretrained(model), args=args, train_dataset=rows,
                      eval_dataset=rows, processing_class=AutoTokenizer.from_pretrained("model"))


class First(TrainerCallback):
    def on_step_begin(self, args, state, control, model=None, **more):
        self.weights = {name: one.detach().clone() for name, one in model.named_parameters()}
        control.should_training_stop = True


def equal(left, right):
    return all(torch.equal(one.detach(), right[name]) for name, one in left.named_parameters())


if MODE == "best":
    trainer = trainer_of(3, eval_strategy="steps", eval_steps=1, load_best_model_at_end=True,
                         metric_for_best_model="loss", greater_is_better=True)
    trainer.train()
    best = AutoModelForCausalLM.from_pretrained(trainer.state.best_model_checkpoint)
    print("equal:", equal(best, dict(trainer.model.named_parameters())))
else:
    first = trainer_of(1)
    first.train()
    resumes = MODE == "resume"
    second, watch = trainer_of(2, "made" if resumes else "out/checkpoint-1"), First()
    second.add_callback(watch)
    second.train(resume_from_checkpoint="out/checkpoint-1" if resumes else None)
    print("equal:", equal(first.model, watch.weights))
"""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["ppo-last", "current"])
def test_experts_are_not_restored(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    """transformers#48805: what the doctor measures is what a real run does, and the way round."""
    python = interpreter(environment)
    file = lay(tmp_path, {**RUN, "trainer": "sft", "max_steps": 2})
    config = json.loads((tmp_path / "model/config.json").read_text())
    (tmp_path / "model/config.json").write_text(json.dumps({**config, **MOE}))
    (tmp_path / "train.py").write_text(EXPERTS)
    for mode, same in (("resume", False), ("best", False), ("as the model", True)):
        process = ran(python, "train.py", mode, cwd=tmp_path)
        assert f"equal: {same}" in process.stdout, (mode, process.stderr[-500:])
        shutil.rmtree(tmp_path / "out")
    (error,) = findings_of(file, python, OWN, "--level", "tiny")
    assert error["severity"] == "warning"
    assert "4 of those that are trained" in error["message"]
    assert any("mlp.experts.gate_up_proj" in line for line in error["evidence"])
    file.write_text(json.dumps({**json.loads(file.read_text()), "load_best_model_at_end": True,
                                "eval_strategy": "steps", "eval_steps": 1}))  # fmt: skip
    (error,) = findings_of(file, python, OWN, "--level", "tiny")
    assert error["severity"] == "error"
    assert "load_best_model_at_end loads in the same way" in error["message"]
