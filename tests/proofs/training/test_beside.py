"""Two rows in one batch, and other weights: what the losses show, and what the doctor reports."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import checks
from laid import ROOT, Interpreter
from rehearsing import findings_by_rule, rehearsal
from reports.fifteenth.preferences import REPORTS

TOLD = {
    "huggingface/trl#2431": "step-loss-ignores-weights",
    "huggingface/trl#2332": "step-loss-depends-on-batch",
}
ROWS = ["Count: " + "one, two, " * number for number in range(1, 7)]


@pytest.mark.slow
@pytest.mark.environment("ppo-first")
@pytest.mark.parametrize("thread", TOLD)
def test_a_fault_of_a_release_is_seen_in_the_loss(
    thread: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    """Both train on without an error; that they train wrongly is shown with all reports."""
    python = interpreter("ppo-first")
    (report,) = (report for report in REPORTS if report.thread == thread)
    for healthy in (False, True):
        folder = tmp_path / str(healthy)
        folder.mkdir()
        report.lay(folder, healthy=healthy, python=python)
        _, result = rehearsal(folder, python, "train.py")
        assert (TOLD[thread] in findings_by_rule(result)) != healthy, findings_by_rule(result)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "run", "differs"),
    [
        ("grpo-shapes", {"padding_free": True}, True),
        ("grpo-shapes", {}, False),
        ("current", {"use_peft": True}, False),
        ("current", {"bf16": True}, False),
    ],
)
def test_rows_that_attend_to_each_other(
    environment: str,
    run: dict[str, bool],
    differs: bool,
    tmp_path: Path,
    interpreter: Interpreter,
) -> None:
    shutil.copytree(ROOT / "fixtures/models/healthy", tmp_path / "model")
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows/train.jsonl").write_text(
        "".join(json.dumps({"text": text}) + "\n" for text in ROWS)
    )
    file = tmp_path / "run.json"
    given = {"model_name_or_path": "model", "dataset_name": "rows", "output_dir": "out", **run}
    file.write_text(json.dumps(given))
    outcomes = checks(file, interpreter(environment), "--trainer", "sft", "--level", "tiny")
    check = outcomes["step-loss-depends-on-batch"]
    assert bool(check["findings"]) == differs, check
    assert check["state"] in ("found", "clear"), check
    assert outcomes["step-loss-ignores-weights"]["state"] == "clear"
