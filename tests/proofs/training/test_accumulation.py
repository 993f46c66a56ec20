"""A loss that is not divided by the batches of a step: what training logs, and the report."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import answered, checks
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, rehearsal

RULE = "step-gradients-grow-with-batches"
OWN_LOSS = """
import json, sys
import torch
from datasets import Dataset
from trl import SFTConfig, SFTTrainer


class Mean(SFTTrainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
        logits, labels = outputs.logits[:, :-1], inputs["labels"][:, 1:]
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), labels.flatten())
        return (loss, outputs) if return_outputs else loss


batches = int(sys.argv[1]) if len(sys.argv) > 1 else 4
rows = Dataset.from_dict({"text": ["One, two, three, four."] * 16})
args = SFTConfig(
    output_dir="out", per_device_train_batch_size=8 // batches, logging_steps=1, max_steps=1,
    gradient_accumulation_steps=batches, report_to="none", bf16=False, use_cpu=True,
    save_strategy="no",
)
trainer = Mean(model="model", args=args, train_dataset=rows)
trainer.model_accepts_loss_kwargs = {accepts}
trainer.train()
print(json.dumps(trainer.state.log_history[0]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["four", "current"])
@pytest.mark.parametrize("healthy", [False, True])
def test_a_loss_of_the_scripts_own(
    healthy: bool, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    """Eight equal rows in a step: what is logged should not depend on how they are divided."""
    python = interpreter(environment)
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    code = OWN_LOSS.replace("{accepts}", "False" if healthy else "True")
    (tmp_path / "train.py").write_text(code)
    one, four = (
        answered(python, ["-c", code], batches, cwd=tmp_path, noisy=True) for batches in "14"
    )
    assert four["loss"] / one["loss"] == pytest.approx(1 if healthy else 4, rel=1e-2)
    _, report = rehearsal(tmp_path, python, "train.py")
    assert (RULE in findings_by_rule(report)) != healthy, findings_by_rule(report)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "kind", "batches", "grows"),
    [("ppo-first", "dpo", 2, True), ("ppo-first", "dpo", 1, False), ("current", "dpo", 2, False)],
)
def test_a_release_that_does_not_divide(
    environment: str,
    kind: str,
    batches: int,
    grows: bool,
    tmp_path: Path,
    interpreter: Interpreter,
) -> None:
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    run = {"model_name_or_path": "model", "output_dir": "out", "bf16": False}
    (tmp_path / "run.json").write_text(json.dumps({**run, "gradient_accumulation_steps": batches}))
    arguments = ("--trainer", kind, "--level", "tiny")
    check = checks(tmp_path / "run.json", interpreter(environment), *arguments)[RULE]
    assert bool(check["findings"]) == grows, check
    assert check["state"] in ("found", "clear", "not concerned"), check
