"""A notebook that writes a script in a cell and starts it in another: found, repaired, trained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, rehearsal

SCRIPT = """%%writefile train.py
import argparse
from datasets import Dataset
from trl import SFTConfig, SFTTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int)
steps = parser.parse_args().steps
rows = Dataset.from_list([{"text": f"one two three four {n}"} for n in range(4)])
args = SFTConfig("out", max_seq_length=64, max_steps=steps, report_to="none", bf16=False)
SFTTrainer("models/healthy", args=args, train_dataset=rows).train()
print("TRAINED", steps)
"""
START = "STEPS = 1\nprint('starting')\n!python train.py --steps {STEPS}"


def test_a_script_in_a_cell_is_repaired_there(interpreter: Interpreter, tmp_path: Path) -> None:
    python, book = interpreter("current"), tmp_path / "train.ipynb"
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    cells = [{"cell_type": "code", "source": text.splitlines(True)} for text in (SCRIPT, START)]
    book.write_text(json.dumps({"nbformat": 4, "cells": cells}, indent=1))
    assert "unexpected keyword argument 'max_seq_length'" in _run(python, book)
    (finding,) = checks(book, python, "--level", "files")["argument-gone-from-trl"]["findings"]
    line = book.read_text().splitlines()[finding["line"] - 1]
    assert "max_seq_length" in line

    checks(book, python, "--level", "files", "--fix")
    assert "TRAINED 1" in _run(python, book)
    assert checks(book, python, "--level", "files")["argument-gone-from-trl"]["state"] == "clear"


@pytest.mark.slow
def test_the_line_of_a_notebook_is_rehearsed(interpreter: Interpreter, tmp_path: Path) -> None:
    """The script and its module are in cells: a mistake is found at the line of its cell."""
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    script = SCRIPT.replace("max_seq_length=64, ", "").replace("argparse", "argparse, limits", 1)
    texts = ["%%writefile limits.py\nLIMIT = 64\n", script + "limits.none\n", START]
    cells = [{"cell_type": "code", "source": text.splitlines(True)} for text in texts]
    (tmp_path / "train.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}, indent=1))
    status, report = rehearsal(tmp_path, interpreter("current"), "--offline", "train.ipynb")
    (finding,) = findings_by_rule(report)["script-fails"]
    line = (tmp_path / "train.ipynb").read_text().splitlines()[finding["line"] - 1]
    assert status == 1 and "limits.none" in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["models", "train.ipynb"]


@pytest.mark.slow
def test_the_cells_above_the_line_write_its_rows(interpreter: Interpreter, tmp_path: Path) -> None:
    """A cell writes the rows of the script; where it downloads them, the report is incomplete."""
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    script = SCRIPT.replace("max_seq_length=64, ", "").replace(
        "import Dataset", "import load_dataset"
    )
    start = script.index("rows = ")
    end = script.index("\n", start)
    read = 'rows = load_dataset("json", data_files="rows/a.jsonl", split="train")'
    script = script[:start] + read + script[end:]
    write = (
        "import json, os\nos.makedirs('rows')\nwith open('rows/a.jsonl', 'w') as file:\n"
        "    for n in range(4):\n        print(json.dumps({'text': f'one two {n}'}), file=file)\n"
    )
    for first, expected in ((write, 0), ("!wget -q https://example.org/rows.tgz", 3)):
        cells = [{"cell_type": "code", "source": text.splitlines(True)}
                 for text in (first, script, START)]  # fmt: skip
        (tmp_path / "train.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
        status, report = rehearsal(tmp_path, interpreter("current"), "--offline", "train.ipynb")
        assert status == expected, report
    (target,) = report["targets"]
    assert any("does not run cell 1, line 1" in note for note in target["notes"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["models", "train.ipynb"]


def _run(python: Path, book: Path) -> str:
    """What the line of the notebook prints: Jupyter writes the cell's text, then starts it."""
    text = "".join(json.loads(book.read_text())["cells"][0]["source"])
    (book.parent / "train.py").write_text(text.partition("\n")[2])
    process = ran(python, "train.py", "--steps", "1", cwd=book.parent)
    (book.parent / "train.py").unlink()
    return process.stdout + process.stderr
