"""Rows of Parquet and Arrow files: rules see them as they see the same rows in a file of JSON."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

MAKE = """\
import datasets
def talk(n):
    return [{"role": "user", "content": f"What is {n}?", "name": None},
            {"role": "assistant", "content": "" if n % 2 else "It is that.", "name": None}]
rows = datasets.Dataset.from_list([{"messages": talk(n), "n": n} for n in range(40)])
rows.to_json("rows.jsonl")
rows.to_parquet("rows.parquet")
rows.save_to_disk("saved")
datasets.DatasetDict({"train": rows, "test": rows.select([0, 2])}).save_to_disk("split")
"""
SCRIPT = """\
from datasets import load_dataset, load_from_disk
from trl import SFTConfig, SFTTrainer
rows = {rows}
args = SFTConfig(output_dir="out", max_steps=1, report_to="none", save_strategy="no", use_cpu=True,
                 bf16=False, per_device_train_batch_size=2)
SFTTrainer(model={model!r}, args=args, train_dataset=rows).train()
"""
ARROW = "data-00000-of-00001.arrow"
LOADED = {
    "rows.jsonl": "load_dataset('json', data_files='rows.jsonl', split='train')",
    "rows.parquet": "load_dataset('parquet', data_files='rows.parquet', split='train')",
    ARROW: "load_from_disk('saved')",
    "the split": "load_from_disk('split')['train']",
    "a part": "load_from_disk('saved').train_test_split(0.1, shuffle=False)['train']",
    "another split": "load_from_disk('split')['test']",
}
RULE = "data-answers-empty"


@pytest.mark.parametrize("environment", ["grpo-first", "four", "current"])
def test_rules_see_the_rows(environment: str, tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter(environment)
    ran(python, "-c", MAKE, cwd=tmp_path)
    model = str(ROOT / "fixtures/models/healthy")
    for name, loaded in LOADED.items():
        script = tmp_path / "train.py"
        script.write_text(SCRIPT.format(rows=loaded, model=model))
        process = ran(python, "train.py", cwd=tmp_path)
        assert process.returncode == 0, process.stderr[-1000:]
        outcomes = checks(script, python, "--level", "tiny")
        found = [finding["message"] for finding in outcomes[RULE]["findings"]]
        if name == "another split":
            assert found == []
            continue
        file = ARROW if name in ("the split", "a part") else name
        expected = f"the answer is empty in 20 of 40 rows of {file}"
        assert [message[: len(expected)] for message in found] == [expected], outcomes[RULE]
        assert outcomes["data-row-refused"]["state"] == "clear", outcomes["data-row-refused"]


def test_without_the_libraries_nothing_is_said_to_be_fine(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("current")
    ran(python, "-c", MAKE, cwd=tmp_path)
    script = tmp_path / "train.py"
    model = str(ROOT / "fixtures/models/healthy")
    for name in ("rows.parquet", "the split"):
        script.write_text(SCRIPT.format(rows=LOADED[name], model=model))
        outcome = checks(script, python, "--level", "files")[RULE]
        assert outcome["state"] == "skipped"
        assert "were not read" in outcome["reason"]
