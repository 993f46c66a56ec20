"""Rows whose columns a script renames, drops or chooses are examined as its trainer gets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

SCRIPT = """\
from datasets import load_dataset
from trl import DPOConfig, DPOTrainer
rows = load_dataset({loaded}, split="train")
rows = rows{steps}
args = DPOConfig(output_dir="out", max_steps=1, report_to="none", save_strategy="no", use_cpu=True,
                 bf16=False, per_device_train_batch_size=2)
DPOTrainer(model={model!r}, args=args, train_dataset=rows).train()
"""
FILE, FOLDER = '"json", data_files="rows/rows.jsonl"', '"./rows"'
CHOSEN = ".select_columns(['prompt', 'good', 'rejected']).rename_column('good', 'chosen')"
PARTS = ".train_test_split(0.1, shuffle=False)['train'].shuffle(seed=1)"
LOST = ".rename_columns({'good': 'better'}).remove_columns(['n'])"


@pytest.mark.parametrize("environment", ["four", "current"])
def test_rules_see_the_columns(environment: str, tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter(environment)
    model = str(ROOT / "fixtures/models/healthy")
    rows = [{"n": n, "prompt": f"{n}?", "good": "Yes.", "rejected": "Yes." if n < 9 else "No."}
            for n in range(40)]  # fmt: skip
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows/rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    script = tmp_path / "train.py"
    for loaded, steps, trains in (
        (FILE, CHOSEN, True), (FOLDER, CHOSEN + PARTS, True), (FILE, LOST, False),
    ):  # fmt: skip
        script.write_text(SCRIPT.format(loaded=loaded, steps=steps, model=model))
        process = ran(python, "train.py", cwd=tmp_path)
        assert (process.returncode == 0) is trains, process.stderr[-1000:]
        outcomes = checks(script, python)
        equal, lacks = (outcomes[rule]["findings"] for rule in
                        ("data-pairs-are-equal", "data-lacks-columns"))  # fmt: skip
        assert [finding["message"][:60] for finding in equal] == (
            ["chosen and rejected are the same in 9 of 40 rows of rows.jso"] if trains else []
        )
        assert len(lacks) == (not trains)
