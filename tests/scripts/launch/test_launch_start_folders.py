"""Files that a line names beside its script, which lies in a folder that the line does not say."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_launch_files import opened

from trl_doctor.facts.launch.elsewhere import elsewhere
from trl_doctor.files.target import NotRead

SCRIPT = """
import sys
import yaml
from trl import SFTConfig, SFTTrainer

def main(path):
    settings = yaml.safe_load(open(path))
    SFTTrainer(model=settings["model"], args=SFTConfig(learning_rate=settings["rate"]))

main(sys.argv[1])
"""


@pytest.mark.parametrize("script", ["train/sft.py", "./train/sft.py"])
def test_a_file_is_found_where_the_script_was(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "inner"
    (inner / "train").mkdir(parents=True)
    (inner / "settings").mkdir()
    (inner / "train" / "sft.py").write_text(SCRIPT)
    (inner / "settings" / "run.yaml").write_text("model: org/m\nrate: 3.0e-6\n")
    line = f"accelerate launch {script} settings/run.yaml\n"
    (run,) = opened("inner/train/go.sh", line, tmp_path, monkeypatch)
    assert run.arguments["learning_rate"] == 3e-6
    assert inner in run.roots


def test_a_module_of_a_project_with_its_packages_in_src(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "src" / "tuning").mkdir(parents=True)
    (tmp_path / "jobs").mkdir()
    (tmp_path / "src" / "tuning" / "sft.py").write_text(
        "from trl import SFTConfig, SFTTrainer\nSFTTrainer('org/m', args=SFTConfig('out'))\n"
    )
    line = "accelerate launch -m tuning.sft\n"
    (run,) = opened("jobs/go.sh", line, tmp_path, monkeypatch)
    assert run.target.path == tmp_path / "src" / "tuning" / "sft.py"
    assert elsewhere(run.target) is None
    line = "accelerate launch tuning/sft.py\n"
    with pytest.raises(NotRead, match="was not found"):
        opened("jobs/go.sh", line, tmp_path, monkeypatch)
