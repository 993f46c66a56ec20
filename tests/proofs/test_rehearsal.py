"""Ten mistakes, each in a script: rehearsed they are found at their line; mended they pass."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from rehearsed import MISTAKES, Mistake

ROOT = Path(__file__).parents[2]
Interpreter: TypeAlias = Callable[[str], Path]


def rehearsal(folder: Path, python: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the JSON report of a rehearsal in a folder."""
    command = [sys.executable, "-m", "trl_doctor", "rehearse", "--format", "json"]
    done = subprocess.run(
        [*command, "--python", str(python), *words],
        cwd=folder, capture_output=True, text=True, timeout=600,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def found(report: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The findings by rule."""
    (target,) = report["targets"]
    return {one["rule"]: one["findings"] for one in target["checks"] if one["findings"]}


def measured(report: dict[str, Any]) -> dict[str, Any]:
    """How the rehearsal ended."""
    (target,) = report["targets"]
    told = {one["probe"]: one["measured"] for one in target["probes"]}
    return dict(told["rehearsal"])


@pytest.mark.slow
@pytest.mark.parametrize("case", MISTAKES, ids=lambda case: case.name)
def test_a_mistake_is_found_at_its_line(
    case: Mistake, interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter(case.environment)
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(case.broken)
    status, report = rehearsal(tmp_path, python, *case.words, "train.py")
    told = found(report)
    assert status == 1
    assert case.rule in told, told
    places = [(Path(one["file"]).name, one["line"]) for one in told[case.rule]]
    assert ("train.py", case.line) in places


@pytest.mark.slow
@pytest.mark.parametrize("case", MISTAKES, ids=lambda case: case.name)
def test_mended_it_passes(case: Mistake, interpreter: Interpreter, tmp_path: Path) -> None:
    python = interpreter(case.environment)
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    (tmp_path / "train.py").write_text(case.repaired)
    status, report = rehearsal(tmp_path, python, *case.words, "train.py")
    assert status == 0, found(report)
    assert measured(report)["reached"] == "end"


@pytest.mark.slow
def test_a_mistake_in_a_notebook_is_found_in_its_cell(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    """Neither the model nor the data set is here; the reward function is wrong all the same."""
    cells = [
        "%pip install trl\nfrom datasets import load_dataset\nfrom trl import GRPOTrainer",
        "def half(completions, **_):\n    return [0.0] * (len(completions) // 2)",
        "data = load_dataset('org/data', split='train')\ndisplay(data)",
        "trainer = GRPOTrainer('org/qwen2-model', half, train_dataset=data)\ntrainer.train()",
    ]
    code = [{"cell_type": "code", "source": text.splitlines(True)} for text in cells]
    text = json.dumps({"nbformat": 4, "cells": code})
    (tmp_path / "train.ipynb").write_text(text)
    status, report = rehearsal(tmp_path, interpreter("current"), "--offline", "train.ipynb")
    (finding,) = found(report)["reward-count-wrong"]
    assert (status, finding["line"], finding["column"]) == (1, 1, text.index("def half") + 1)
    assert [one.name for one in tmp_path.iterdir()] == ["train.ipynb"]
