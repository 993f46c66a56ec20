"""A method of a callback without **kwargs ends the real run, and a check says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

SCRIPT = """\
from datasets import load_dataset
from transformers import TrainerCallback
from trl import SFTConfig, SFTTrainer


class Note(TrainerCallback):
    def {method}(self, args, state, control{more}):
        print("SEEN", state.global_step)


trainer = SFTTrainer(
    model="model",
    args=SFTConfig(output_dir="out", max_steps=1, save_steps=1, per_device_train_batch_size=2,
                   report_to="none", use_cpu=True, bf16=False),
    train_dataset=load_dataset("json", data_files="rows.jsonl", split="train"),
    callbacks=[Note()],
)
trainer.train()
"""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ("ppo-first", "current"))
@pytest.mark.parametrize("method", ("on_step_end", "on_save"))
def test_the_method_lacks_arguments(
    environment: str, method: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    (tmp_path / "model").symlink_to(ROOT / "fixtures/models/healthy")
    (tmp_path / "rows.jsonl").write_text(f"{json.dumps({'text': 'The sea was calm.'})}\n" * 4)
    script = tmp_path / "train.py"
    for more in ("", ", **kwargs"):
        script.write_text(SCRIPT.format(method=method, more=more))
        process = ran(python, script.name, cwd=tmp_path)
        outcome = checks(script, python, "--level", "files")["method-of-callback-lacks-kwargs"]
        assert len(outcome["findings"]) == (not more)
        if more:
            assert process.returncode == 0 and "SEEN 1" in process.stdout, process.stderr[-1000:]
        else:
            assert "got an unexpected keyword argument" in process.stderr
