"""Runs on a few rows: a run file, a healthy model and the rows, laid out in a folder."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from laid import ROOT

RUN = {
    "model_name_or_path": "model",
    "dataset_name": "data",
    "output_dir": "out",
    "bf16": False,
    "use_cpu": True,
    "max_steps": 1,
    "report_to": "none",
}
GROUPS = {"num_generations": 2, "max_completion_length": 8, "reward_funcs": ["mine.score"],
          "per_device_train_batch_size": 2}  # fmt: skip
SCORE = (
    "def score(completions, answer, **_):\n    return [float(len(one.strip())) for one in answer]\n"
)
Rows = Sequence[dict[str, Any]]


def texts(null: int = 0) -> Rows:
    return [{"text": None if at == null else f"One two three, {at}."} for at in range(1, 101)]


def prompts(null: int = 0, column: str = "prompt") -> Rows:
    row = {"prompt": "Why?", "answer": "So."}
    return [{**row, column: None if at == null else row[column]} for at in range(1, 9)]


def laid(folder: Path, run: dict[str, Any], rows: Rows, kind: str = "jsonl") -> Path:
    """The run on these rows and a healthy model; another one lies there afterwards."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
    (folder / "data").mkdir()
    if kind == "csv":
        with (folder / "data/train.csv").open("w", newline="") as out:
            table = csv.DictWriter(out, list(rows[0]))
            table.writeheader()
            table.writerows(rows)
    else:
        (folder / "data/train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "mine.py").write_text(SCORE)
    (folder / "run.yaml").write_text(json.dumps({**RUN, **run}))
    return folder / "run.yaml"
