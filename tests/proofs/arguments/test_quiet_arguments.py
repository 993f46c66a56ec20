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
        "warning",
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
