"""A name that a module of the project lacks ends the real run, perhaps after the training."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

SCRIPT = """\
{first}
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer


def finish():
    {last}
    print("SEEN", score())


trainer = SFTTrainer(
    model="model",
    args=SFTConfig(output_dir="out", max_steps=1, per_device_train_batch_size=2,
                   report_to="none", use_cpu=True, bf16=False),
    train_dataset=load_dataset("json", data_files="rows.jsonl", split="train"),
)
trainer.train()
print("TRAINED")
finish()
"""
FROM = "from own.{} import score"
PLACES = {"at the top": ("{}", "pass", False), "at the end": ("", "{}", True)}


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("environment", ("ppo-first", "current"))
def test_the_module_has_no_such_name(
    environment: str, place: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    first, last, trains = PLACES[place]
    (tmp_path / "model").symlink_to(ROOT / "fixtures/models/healthy")
    (tmp_path / "rows.jsonl").write_text(f"{json.dumps({'text': 'The sea was calm.'})}\n" * 4)
    (tmp_path / "own").mkdir()
    (tmp_path / "own/rows.py").write_text("LIMIT = 4\n")
    (tmp_path / "own/scores.py").write_text("def score():\n    return 1.0\n")
    script = tmp_path / "train.py"
    for module in ("rows", "scores"):
        line = FROM.format(module)
        script.write_text(SCRIPT.format(first=first.format(line), last=last.format(line)))
        process = ran(python, script.name, cwd=tmp_path)
        findings = checks(script, python, "--level", "files")["import-missing-from-module"][
            "findings"
        ]
        if module == "rows":
            assert "cannot import name 'score' from 'own.rows'" in process.stderr
            assert ("TRAINED" in process.stdout) == trains and len(findings) == 1
        else:
            assert "SEEN 1.0" in process.stdout and not findings, process.stderr[-1000:]
