"""Arguments with which a run ends well and is lost: warmup, the choice of the best, no save."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from commands import checks, ran
from laid import Interpreter
from reports.report import TEXT, Report, script

SHOWS = """\
trainer.train()
log = [entry for entry in trainer.state.log_history if "learning_rate" in entry]
scores = {f"checkpoint-{entry['step']}": entry["eval_loss"]
          for entry in trainer.state.log_history if "eval_loss" in entry}
best = str(trainer.state.best_model_checkpoint).rpartition("/")[2]
import json, pathlib
weights = sorted(file.name for file in pathlib.Path("out").rglob("*model.safetensors"))
kept = trainer.evaluate()["eval_loss"] if trainer.eval_dataset else None
print("SHOWN", json.dumps([log[-1]["learning_rate"], scores, best, weights, kept]))
"""
COMMON = {"learning_rate": 1e-2, "logging_steps": 1, "lr_scheduler_type": "constant_with_warmup"}
EVALUATED = {"eval_strategy": "steps", "eval_steps": 1, "save_strategy": "steps", "save_steps": 1,
             "load_best_model_at_end": True, "metric_for_best_model": "eval_loss"}  # fmt: skip
RISING = {"learning_rate": 5e-2, "warmup_steps": 0}
Case = tuple[dict[str, Any], dict[str, Any], str]
CASES: Mapping[str, Case] = {
    "argument-warmup-outlasts-run": ({"warmup_steps": 100}, {"warmup_steps": 2}, "warning"),
    "metric-direction-reversed": (
        {**EVALUATED, "greater_is_better": True},
        {**EVALUATED, "greater_is_better": False},
        "error",
    ),
    "model-never-saved": (
        {"max_steps": 21},
        {"max_steps": 21, "save_strategy": "epoch"},
        "note",  # the script evaluates: it may have trained the model for that
    ),
    "checkpoint-best-not-loaded": (
        {**EVALUATED, **RISING, "save_strategy": "best"},
        {**EVALUATED, **RISING},
        "error",
    ),
}


def run(folder: Path, python: Path, rule: str, *, healthy: bool) -> tuple[Any, list[str]]:
    """What the real run shows, and the severities of the rule's findings before it."""
    arguments = {**COMMON, "max_steps": 4, **CASES[rule][healthy]}
    given = {"eval_dataset": "rows.select([0, 1])"} if "eval_steps" in arguments else {}
    files = {"train.py": script("SFT", arguments, given, after=SHOWS), "rows.jsonl": TEXT}
    file = Report("", "", "", "", files, {}).lay(folder, healthy=True, python=python)
    outcomes = checks(file, python, "--level", "files", statuses=(0, 1))[rule]["findings"]
    process = ran(python, "train.py", cwd=folder)
    assert process.returncode == 0, process.stderr[-2000:]
    return json.loads(process.stdout.partition("SHOWN ")[2]), [
        finding["severity"] for finding in outcomes
    ]


@pytest.mark.parametrize("environment", ["current", "grpo-first"])
@pytest.mark.parametrize("rule", list(CASES)[:3])
def test_a_run_that_ends_well_and_is_lost(
    rule: str, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    lost, severities = run(tmp_path / "broken", python, rule, healthy=False)
    kept, none = run(tmp_path / "healthy", python, rule, healthy=True)
    assert (severities, none) == ([CASES[rule][2]], [])
    if rule == "argument-warmup-outlasts-run":
        assert lost[0] < 0.05 * COMMON["learning_rate"] <= kept[0] == COMMON["learning_rate"]
    elif rule == "metric-direction-reversed":
        worst, best = max(lost[1], key=lost[1].get), min(kept[1], key=kept[1].get)
        assert (lost[2], kept[2]) == (worst, best)
        assert lost[1][worst] > min(lost[1].values())
    else:
        assert (set(lost[3]), set(kept[3])) == (set(), {"model.safetensors"})


@pytest.mark.parametrize(
    ("environment", "last"), [("grpo-first", False), ("four", True), ("current", False)]
)
def test_the_best_model_is_not_loaded(
    environment: str, last: bool, tmp_path: Path, interpreter: Interpreter
) -> None:
    """The loss rises again before the end: the best model is not the last one."""
    python = interpreter(environment)
    shown, severities = run(tmp_path / "best", python, "checkpoint-best-not-loaded", healthy=False)
    scores, kept = list(shown[1].values()), shown[4]
    assert min(scores) < scores[-1] - 0.1
    assert kept == pytest.approx(scores[-1] if last else min(scores), rel=1e-3)
    assert severities == (["error"] if last else [])
    if last:
        rule = "checkpoint-best-not-loaded"
        shown, severities = run(tmp_path / "steps", python, rule, healthy=True)
        assert severities == []
        assert shown[4] == pytest.approx(min(shown[1].values()), rel=1e-3)


HALF = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

model = AutoModelForCausalLM.from_pretrained("model", torch_dtype=torch.float16)
rows = load_dataset("json", data_files="rows.jsonl", split="train")
args = SFTConfig(
    "out", max_steps=2, logging_steps=1, report_to="none", save_strategy="no", use_cpu=True,
    bf16=False, optim="adamw_torch",
)
trainer = SFTTrainer(model=model, args=args, train_dataset=rows,
                     processing_class=AutoTokenizer.from_pretrained("model"))
trainer.train()
print("SHOWN", [entry["loss"] for entry in trainer.state.log_history if "loss" in entry][-1],
      all(bool(weights.isfinite().all()) for weights in model.parameters()))
"""


@pytest.mark.parametrize("environment", ["grpo-shapes", "current"])
def test_adamw_in_float16(environment: str, tmp_path: Path, interpreter: Interpreter) -> None:
    """The weights become nan in the first step, the log shows a loss of 0, and no error."""
    python, rule = interpreter(environment), "weights-in-fp16-break-adam"
    single = HALF.replace("torch.float16", "torch.float32")
    for name, text, finite in (("half", HALF, False), ("single", single, True)):
        files = {"train.py": text, "rows.jsonl": TEXT}
        file = Report("", "", "", "", files, {}).lay(tmp_path / name, healthy=True, python=python)
        process = ran(python, "train.py", cwd=file.parent)
        assert process.returncode == 0, process.stderr[-2000:]
        loss, shown = process.stdout.partition("SHOWN ")[2].split()
        assert (shown, float(loss) > 1) == (str(finite), finite)
        findings = checks(file, python, "--level", "files", statuses=(0, 1))[rule]["findings"]
        assert [finding["severity"] for finding in findings] == ["warning"] * (not finite)


FORGOTTEN = """
import torch
def steps(**how):
    weight = torch.nn.Parameter((torch.randn(999) * 0.02).to(how.pop("dtype")))
    optimizer = torch.optim.AdamW([weight], lr=1e-4, weight_decay=0.0, **how)
    for _ in range(100):
        before = weight.detach().float().clone()
        weight.grad = (torch.randn(999) * 5e-5).to(weight.dtype)
        optimizer.step()
    return float((weight.detach().float() - before).abs().mean())
usual = steps(dtype=torch.float32, fused=True)
print(steps(dtype=torch.float16, fused=True) / usual, *(
    steps(dtype=torch.float16, fused=False, foreach=foreach) for foreach in (False, True)))
"""


def test_adamw_forgets_in_float16(tmp_path: Path, interpreter: Interpreter) -> None:
    """Where it is fused its steps are too large; otherwise the weights are nan."""
    process = ran(interpreter("current"), "-c", FORGOTTEN, cwd=tmp_path)
    share, *others = process.stdout.split()
    assert float(share) > 10 and others == ["nan", "nan"], process.stderr[-500:]


SCALED = """
import torch
def step(dtype):
    weight = torch.nn.Parameter(torch.ones(2, dtype=dtype))
    optimizer = torch.optim.AdamW([weight])
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(weight.sum()).backward()
    scaler.unscale_(optimizer)
step(torch.float32)
print("float32 is taken")
step(torch.float16)
"""


def test_the_scaler_refuses_float16(tmp_path: Path, interpreter: Interpreter) -> None:
    """A whole run with fp16 needs a GPU: only its scaler is run."""
    process = ran(interpreter("current"), "-c", SCALED, cwd=tmp_path)
    assert process.stdout == "float32 is taken\n"
    assert "Attempting to unscale FP16 gradients" in process.stderr
