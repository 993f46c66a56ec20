"""What SageMaker keeps of a job, as the program that starts it and its script name it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from commands import checks

RULE = "launcher-output-not-kept"
START = """\
from sagemaker.huggingface import HuggingFace

job = HuggingFace(entry_point="train.py", source_dir="src", instance_type="ml.g5.xlarge")
job.fit({"train": "s3://own/rows/"})
"""
SCRIPT = """\
from trl import SFTConfig, SFTTrainer

trainer = SFTTrainer("org/m", args=SFTConfig("OUT"))
trainer.train()
"""


@pytest.mark.parametrize(
    ("output", "lost"), [("outputs/sft", True), ("/opt/ml/model", False), ("/opt/ml/x", True)]
)
def test_the_folders_that_sagemaker_keeps(output: str, lost: bool, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/train.py").write_text(SCRIPT.replace("OUT", output))
    (tmp_path / "launch.py").write_text(START)
    flags = ("--level", "files", "--select", RULE)
    found = checks(tmp_path / "launch.py", Path(sys.executable), *flags, statuses=(0, 1, 3))
    assert len(found[RULE]["findings"]) == lost
