"""Values that are easily written by mistake in a script: each ends the real run and is an error."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from commands import ran, reports
from laid import ROOT, Interpreter

HEAD = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM
from trl import {trainer}Config, {trainer}Trainer


def score(completions, **kwargs):
    return [float(len(str(text)) % 7) for text in completions]


rows = load_dataset("json", data_files="rows.jsonl", split="train")
"""
SFT = (
    HEAD.format(trainer="SFT")
    + """\
model = AutoModelForCausalLM.from_pretrained("model", LOADS)
args = SFTConfig(output_dir="out", report_to="none", use_cpu=True, bf16=False, VALUE)
SFTTrainer(model=model, args=args, train_dataset=rows.select_columns("text")).train()
"""
)
GRPO = (
    HEAD.format(trainer="GRPO")
    + """\
args = GRPOConfig(
    output_dir="out", report_to="none", use_cpu=True, bf16=False, save_strategy="no",
    max_completion_length=4, per_device_train_batch_size=2, num_generations=2, VALUE
)
GRPOTrainer("model", reward_funcs=score, args=args, train_dataset=rows).train()
"""
)
WELL = "num_train_epochs=1"
LOADS = ("device_map='gpu'", "device='cpu'", "torch_dtype='fp16'", "torch_dtype='bfloat'")
OF_SFT = {
    "argument-text-not-converted": ("learning_rate='1e-5'", "save_total_limit='2', save_steps=1",
                                    "dataloader_drop_last='false'"),
    "argument-is-no-whole-number": ("gradient_accumulation_steps=4 / 2", "max_steps=1.0"),
    "argument-schedule-refused": ("lr_scheduler_kwargs={'num_cycle': 2}",
                                  "lr_scheduler_type='cosine_with_min_lr'",
                                  "lr_scheduler_type='warmup_stable_decay'",
                                  "lr_scheduler_type='cosine', lr_scheduler_kwargs={'min_lr': 0}"),
    "argument-object-refused": (
        "gradient_checkpointing=True, gradient_checkpointing_kwargs={'use_reentrent': False}",
        "accelerator_config={'split_batch': True}", "dataset_kwargs='foo'"),
    "argument-word-unknown": ("log_level='INFO'", "fsdp='full_shard, auto_wrap'"),
    "argument-refused-by-optimizer": ("optim_args='betas=0.9,0.95'",),
    "argument-is-none": ("label_smoothing_factor=None", "eval_delay=None, eval_strategy='steps'"),
}  # fmt: skip
OF_GRPO = {
    "argument-text-not-converted": ("temperature='0.7'", "use_vllm='false'"),
    "argument-is-no-whole-number": ("num_iterations=1.0",),
    "argument-is-none": ("temperature=None", "beta=None"),
    "argument-object-refused": ("generation_kwargs='foo'",),
}


def scripts() -> list[tuple[str, str]]:
    """Each script with the rule that reports it; "" for the healthy ones."""
    sft = SFT.replace("LOADS", "")
    cases = [(sft.replace("VALUE", WELL), ""), (GRPO.replace("VALUE", WELL), "")]
    cases += [
        (SFT.replace("LOADS", text).replace("VALUE", WELL),
         "argument-refused-by-loader" if text.startswith("device=") else
         "argument-loading-value-unknown")
        for text in LOADS
    ]  # fmt: skip
    for script, values in ((sft, OF_SFT), (GRPO, OF_GRPO)):
        cases += [
            (script.replace("VALUE", text), rule)
            for rule, texts in values.items()
            for text in texts
        ]
    return cases


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["four", "current"])
def test_values_that_end_the_run(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    paths = []
    for number, (script, _) in enumerate(scripts()):
        folder = tmp_path / str(number)
        shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
        rows = [{"prompt": f"{n}?", "text": f"{n}! It is {n}."} for n in range(4)]
        (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / "train.py").write_text(script)
        paths.append(folder / "train.py")
    wrong = list[str]()
    answers = reports(paths, python, "--level", "files", statuses=(1,))
    for path, (script, rule), report in zip(paths, scripts(), answers, strict=True):
        done = ran(python, "train.py", cwd=path.parent)
        errors = {
            check["rule"]
            for check in report["checks"]
            if any(finding["severity"] == "error" for finding in check["findings"])
        }
        changed = re.findall(r"from_pretrained.*|args = [^)]*\)", script)
        if bool(done.returncode) != bool(rule):
            wrong.append(f"{changed} ends otherwise: {done.stderr[-200:]}")
        if (rule not in errors) if rule else errors:
            wrong.append(f"{changed}: {errors}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "severity", "shows"),
    [("grpo-shapes", "error", "already instantiated"), ("four", "warning", "torch.float32")],
)
def test_keywords_for_a_model_that_is_loaded(
    environment: str, severity: str, shows: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    (tmp_path / "rows.jsonl").write_text(json.dumps({"prompt": "Why?"}) + "\n")
    given = GRPO.replace("VALUE", "max_steps=1, model_init_kwargs={'torch_dtype': 'bfloat16'}")
    loaded = "MODEL = AutoModelForCausalLM.from_pretrained('model')\nargs ="
    script = given.replace("args =", loaded, 1).replace('Trainer("model"', "Trainer(MODEL")
    (tmp_path / "train.py").write_text(f"{script}print(next(MODEL.parameters()).dtype)\n")
    done = ran(python, "train.py", cwd=tmp_path)
    assert shows in done.stdout + done.stderr, done.stderr[-500:]
    (report,) = reports([tmp_path / "train.py"], python, "--level", "files")
    found = [
        finding["severity"]
        for check in report["checks"]
        if check["rule"] == "model-keywords-come-too-late"
        for finding in check["findings"]
    ]
    assert found == [severity]
