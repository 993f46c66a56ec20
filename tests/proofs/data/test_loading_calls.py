"""Calls of `load_dataset` that the real library refuses."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import checks, ran
from laid import ROOT, Interpreter

SCRIPT = """\
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer
rows = load_dataset({call})
arguments = SFTConfig(
    output_dir="out", max_steps=1, report_to="none", save_strategy="no", use_cpu=True, bf16=False
)
SFTTrainer(model="model", args=arguments, train_dataset=rows).train()
"""
RIGHT = "'json', data_files='rows.jsonl', split='train'"


def verdict_on(
    call: str, rule: str, folder: Path, python: Path
) -> tuple[str, int, list[dict[str, str]]]:
    """What a script with this call prints, its status, and what the rule finds."""
    if not (folder / "model").exists():
        shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
        (folder / "rows.jsonl").write_text('{"text": "The sea was calm."}\n' * 4)
    (folder / "train.py").write_text(SCRIPT.format(call=call))
    findings = checks(folder / "train.py", python, "--level", "files")[rule]["findings"]
    process = ran(python, "train.py", cwd=folder)
    return process.stdout + process.stderr, process.returncode, findings


@pytest.mark.parametrize("environment", ["ppo-first", "current"])
@pytest.mark.parametrize(
    ("call", "rule", "sign"),
    [
        ("'json', data_files='rows.jsonl', split='test'", "data-split-not-there", "Unknown split"),
        ("'json', 'rows.jsonl', split='train'", "data-files-not-read", "DatasetGenerationError"),
        ("'json', split='train'", "data-files-not-read", "DatasetGenerationError"),
        ("'jsonl', data_files='rows.jsonl', split='train'", "data-files-not-read", "Couldn't"),
    ],
)
def test_the_call_is_refused(
    environment: str, call: str, rule: str, sign: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    said, status, findings = verdict_on(call, rule, tmp_path, python)
    assert status and sign in said
    assert [finding["severity"] for finding in findings] == ["error"]
    assert verdict_on(RIGHT, rule, tmp_path, python)[1:] == (0, [])
