"""Rows of CSV files: cells have the types that `datasets` gives them, and rules see them."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

from trl_doctor.facts.rows.tables import table_rows

CELLS = ["a", "x, y", "1", "2", "3.5", "-4", "1e3", "True", "False", "true", "", "NA", "None",
         "null", "x\ny", 'q"', "007", "1_000", "inf", " 5", "+3", "0x1f", "١",
         "2026-01-01"]  # fmt: skip
REAL = """\
import json, sys
import datasets
print(json.dumps([
    [dict(row) for row in datasets.load_dataset("csv", data_files=file, split="train")]
    for file in sys.argv[1:]
]))
"""
RULE = "data-cell-of-wrong-type"


def drawn(folder: Path, source: random.Random) -> list[Path]:
    """Thirty tables of one to four columns."""
    files = []
    for number in range(30):
        columns = [source.sample(CELLS, source.randint(1, 5)) for _ in range(source.randint(1, 4))]
        files.append(folder / f"{number}.csv")
        with files[-1].open("w", newline="") as stream:
            table = csv.writer(stream)
            table.writerow(f"column {index}" for index in range(len(columns)))
            for _ in range(source.randint(1, 6)):
                table.writerow(source.choice(column) for column in columns)
    return files


@pytest.mark.parametrize("environment", ["grpo-first", "current"])
def test_cells_have_the_types_of_datasets(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    files = drawn(tmp_path, random.Random("tables"))
    process = ran(interpreter(environment), "-c", REAL, *map(str, files), cwd=tmp_path)
    real = json.loads(process.stdout.splitlines()[-1])
    assert [list(table_rows(file, 10_000, 100)) for file in files] == real


@pytest.mark.parametrize("environment", ["four", "current"])
def test_numbers_in_place_of_texts_are_reported(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    run = {"model_name_or_path": str(ROOT / "fixtures/models/healthy"), "dataset_name": "data",
           "output_dir": "out", "max_steps": 1, "report_to": "none", "save_strategy": "no",
           "use_cpu": True, "bf16": False}  # fmt: skip
    (tmp_path / "run.yaml").write_text(json.dumps(run))
    (tmp_path / "data").mkdir()
    for answer, refused in (("{}", True), ("It is {}.", False)):
        rows = [f"What is {n} + 1?,{answer.format(n + 1)}" for n in range(8)]
        (tmp_path / "data/train.csv").write_text("\n".join(["prompt,completion", *rows]))
        process = ran(python, "-m", "trl.scripts.sft", "--config", "run.yaml", cwd=tmp_path)
        assert (process.returncode != 0) is refused, process.stderr[-1000:]
        found = checks(tmp_path / "run.yaml", python, "--level", "files", "--trainer", "sft")[RULE][
            "findings"
        ]
        assert [finding["message"][:27] for finding in found] == (
            ["row 1 of train.csv has 1 in"] if refused else []
        )
