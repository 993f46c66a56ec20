"""Trainers that load no tokenizer themselves: what kills the real script is found in its text."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from laid import ROOT, Interpreter
from rehearsing import rehearsal
from reports.preference import LOADED, SCORING
from reports.report import PREFERENCES, Report, errors, findings_of_checks, real, script


@pytest.mark.slow
@pytest.mark.parametrize(("trainer", "environment"), [("DPO", "grpo-first"), ("ORPO", "four")])
def test_a_tokenizer_has_to_be_given(
    trainer: str, environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    sign, rule = "processing_class must be specified", "constructor-lacks-tokenizer"
    before = {
        "train.py": script(trainer, {}, {"model": "model"}, before=LOADED),
        "rows.jsonl": PREFERENCES,
    }
    after = {"train.py": script(trainer, {}, SCORING, before=LOADED)}
    report, python = Report("", environment, sign, rule, before, after), interpreter(environment)
    broken, well = (
        report.lay(tmp_path / str(healthy), healthy=healthy, python=python)
        for healthy in (False, True)
    )
    error = findings_of_checks(python, [broken, well], "files")
    assert sign in real(python, broken.parent).stderr
    assert rule in {name.split(":")[0] for name in errors(error[0])}
    process = real(python, well.parent)
    assert process.returncode == 0, process.stderr[-2000:]
    assert not errors(error[1])


BESIDE = """\
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

SFTTrainer(
    model=AutoModelForCausalLM.from_pretrained("weights"),
    args=SFTConfig(output_dir="out", max_steps=1, report_to="none", use_cpu=True, bf16=False),
    train_dataset=load_dataset("json", data_files="rows.jsonl", split="train"),
    processing_class=AutoTokenizer.from_pretrained("words"),
).train()
"""


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["current", "four"])
def test_a_tokenizer_of_another_folder_is_the_one_that_is_examined(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    """The model's folder has no tokenizer, and needs none."""
    healthy = ROOT / "fixtures/models/healthy"
    for folder, of_words in (("weights", False), ("words", True)):
        (tmp_path / folder).mkdir()
        for file in healthy.iterdir():
            if file.name.startswith(("config", "generation", "model")) is not of_words:
                shutil.copy(file, tmp_path / folder)
    (tmp_path / "rows.jsonl").write_text("".join(f'{{"text": "One two {n}."}}\n' for n in range(8)))
    (tmp_path / "train.py").write_text(BESIDE)
    python = interpreter(environment)
    process = real(python, tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    _, report = rehearsal(tmp_path, python, "--offline", "train.py")
    (target,) = report["targets"]
    state = {check["rule"]: check["state"] for check in target["checks"]}
    assert not [check["rule"] for check in target["checks"] if check["findings"]]
    assert state["model-files-missing"] == state["tokenizer-pad-missing"] == "clear"
