"""A model that writes no text is refused by the trainers, at both ends of the releases."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import ran, reports
from laid import ROOT, Interpreter

SCRIPT = """\
from datasets import Dataset
from transformers import {kind}, AutoTokenizer
from trl import {trainer}Config, {trainer}Trainer

{trainer}Trainer(
    model={kind}.from_pretrained("model"),
    args={trainer}Config("out", max_steps=1, per_device_train_batch_size=2, use_cpu=True,
                         bf16=False, report_to="none", save_strategy="no"{config}),
    train_dataset=Dataset.from_list({rows} * 2),
    processing_class=AutoTokenizer.from_pretrained("model"),
    {more}
).train()
"""
PAIRS = [{"prompt": "a", "chosen": " b c", "rejected": " d e f"}] * 2
LABELS = [{"prompt": "a", "completion": " b", "label": label} for label in (True, False)]
TRAINERS = {
    "SFT": ([{"text": "a b c d"}] * 2, "", ""),
    "DPO": (PAIRS, "", ""),
    "KTO": (LABELS, "", ""),
    "GRPO": (
        [{"prompt": "a"}] * 2,
        ", num_generations=2, max_completion_length=8",
        "reward_funcs=lambda completions, **_: [float(len(text)) for text in completions],",
    ),
}
KINDS = ("AutoModel", "AutoModelForSequenceClassification", "AutoModelForCausalLM")


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
@pytest.mark.parametrize("trainer", TRAINERS)
def test_the_first_step_fails(
    trainer: str, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    """With either class; a causal model trains, and nothing is said of it."""
    python, targets = interpreter(environment), []
    rows, config, more = TRAINERS[trainer]
    for kind in KINDS:
        folder = tmp_path / kind
        shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
        text = SCRIPT.format(kind=kind, trainer=trainer, rows=rows, config=config, more=more)
        (folder / "train.py").write_text(text)
        targets.append(folder / "train.py")
    codes = [ran(python, "train.py", cwd=target.parent).returncode for target in targets]
    assert codes == [1, 1, 0]
    found = []
    for report in reports(targets, python, "--level", "files"):
        checks = {check["rule"]: check for check in report["checks"]}
        found.append(len(checks["model-writes-no-text"]["findings"]))
    assert found == [1, 1, 0]
