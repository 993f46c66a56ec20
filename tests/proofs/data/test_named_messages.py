"""`dataset_text_field` that names a column of messages, or half of a pair."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import checks, died
from laid import ROOT, Interpreter

ASKED = [{"role": "user", "content": "Why?"}]
ANSWERED = [{"role": "assistant", "content": "So."}]
OLD = [{"from": "human", "value": "Why?"}, {"from": "gpt", "value": "So."}]
TWO = {"prompt": ASKED, "completion": ANSWERED}
CASES = [
    ("current", {"messages": ASKED + ANSWERED}, "messages", ""),
    ("four", {"messages": ASKED + ANSWERED}, "messages", ""),
    ("grpo-shapes", {"messages": ASKED + ANSWERED}, "messages", ""),
    ("grpo-first", {"messages": ASKED + ANSWERED}, "messages", "KeyError: 'messages'"),
    ("current", {"conversations": ASKED + ANSWERED}, "conversations", "has no attribute 'ends"),
    ("four", {"conversations": ASKED + ANSWERED}, "conversations", "text input must be of type"),
    ("current", {"conversations": OLD}, "conversations", ""),
    ("four", {"conversations": OLD}, "conversations", ""),
    ("current", TWO, "completion", ""),
    ("four", TWO, "completion", ""),
]


@pytest.mark.slow
@pytest.mark.parametrize(("environment", "row", "field", "says"), CASES)
def test_the_text_field_names_messages(
    environment: str, row: object, field: str, says: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/train.jsonl").write_text((json.dumps(row) + "\n") * 8)
    run = {"model_name_or_path": "model", "dataset_name": "data", "dataset_text_field": field}
    run |= {"output_dir": "out", "max_steps": 1, "use_cpu": True, "report_to": "none"}
    (tmp_path / "run.yaml").write_text(json.dumps(run | {"bf16": False, "save_strategy": "no"}))
    error = died(python, tmp_path, "sft")
    assert says in error if says else not error, error[-2000:]

    flags = ("--trainer", "sft", "--level", "files")
    outcomes = checks(tmp_path / "run.yaml", python, *flags, statuses=(0, 1))
    found = outcomes["data-cell-of-wrong-type"]["findings"]
    assert [finding["severity"] for finding in found] == (["error"] if says else [])
    assert not outcomes["data-text-unused-beside-messages"]["findings"]
