"""The first row of a report is a row that the model gets in a real step."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import doctor, ran
from laid import ROOT, Interpreter
from rehearsing import rehearsal

SHOWN = """\
import json, runpy, sys
import transformers
from transformers import AutoTokenizer, PreTrainedModel
tokenizer = AutoTokenizer.from_pretrained("models/healthy")
call = PreTrainedModel.__call__
def seen(self, *given, **more):
    ids = more.get("input_ids", given[0] if given else None)
    if ids is not None and ids.dim() == 2:
        for row in ids.tolist():
            print("ROW", json.dumps(tokenizer.decode(row)))
    return call(self, *given, **more)
PreTrainedModel.__call__ = seen
trainer, sys.argv = sys.argv[1], ["run", "--config", "run.yaml"]
runpy.run_module(f"trl.scripts.{trainer}", run_name="__main__")
"""
STEPS = 4
PAD = "<|fim_pad|>"
CASES = [
    *(("current", trainer) for trainer in ("sft", "dpo", "kto", "reward", "grpo")),
    *(("grpo-first", trainer) for trainer in ("sft", "dpo", "kto")),
    *(("four", trainer) for trainer in ("reward", "grpo")),  # grpo-first has no such scripts
]
"""Each trainer with its newest release and its oldest."""


def laid(folder: Path, trainer: str) -> None:
    """The fixture of a trainer, with short completions and steps that use all of its rows."""
    shutil.copytree(ROOT / "fixtures/models", folder / "models")
    shutil.copytree(ROOT / "fixtures/data", folder / "data")
    text = (ROOT / f"fixtures/{trainer}.yaml").read_text()
    short = text.replace("max_completion_length: 256", "max_completion_length: 4")
    (folder / "run.yaml").write_text(f"{short}\nmax_steps: {STEPS}\nreport_to: none\n")


def rows_of_the_model(python: Path, folder: Path, trainer: str) -> set[str]:
    """The texts of all rows that a model gets when TRL's own script runs, without padding."""
    process = ran(python, "-c", SHOWN, trainer, cwd=folder)
    assert process.returncode == 0, process.stderr[-2000:]
    lines = [line for line in process.stdout.splitlines() if line.startswith("ROW ")]
    return {json.loads(line.removeprefix("ROW ")).replace(PAD, "") for line in lines}


def sides(segments: list[dict[str, Any]]) -> list[str]:
    """The whole text of each side of a row."""
    prompt = "".join(part["text"] for part in segments if part["name"] == "prompt")
    one_side = "".join(part["text"] for part in segments if not part["name"])
    answers = [part["text"] for part in segments if part["name"] not in ("prompt", "")]
    return [one_side] if one_side else [prompt + text for text in answers] or [prompt]


@pytest.mark.parametrize(("environment", "trainer"), CASES)
def test_the_first_row_is_a_row_of_the_model(
    environment: str, trainer: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    laid(tmp_path, trainer)
    process = doctor("check", "run.yaml", "--python", python, "--output", "json", cwd=tmp_path)
    (target,) = json.loads(process.stdout)["targets"]
    step = next(probe for probe in target["probes"] if probe["probe"] == "step")
    texts = sides(step["measured"]["first_row"])
    assert texts and all(texts)
    assert set(texts) <= rows_of_the_model(python, tmp_path, trainer)


STREAM = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="rows.jsonl", split="train", streaming=True)
args = SFTConfig(output_dir="out", max_steps=10, bf16=False, use_cpu=True, report_to="none")
trainer = SFTTrainer(model="model", args=args, train_dataset=rows)
trainer.train()
"""


def test_a_stream_has_a_first_row(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("current")
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    row = {"prompt": "Count to five.", "completion": " One, two, three, four, five."}
    (tmp_path / "rows.jsonl").write_text(f"{json.dumps(row)}\n" * 8)
    (tmp_path / "train.py").write_text(STREAM)
    _, report = rehearsal(tmp_path, python, "train.py")
    (target,) = report["targets"]
    step = next(probe for probe in target["probes"] if probe["probe"] == "step")
    asked, learned = step["measured"]["first_row"]
    assert (asked["text"], asked["learned"]) == (row["prompt"], False)
    assert learned["text"].startswith(row["completion"]) and learned["learned"]
