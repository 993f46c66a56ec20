"""A report on a script with values that reading cannot know names the command that knows them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.facts.rehearsing import rehearsal
from trl_doctor.files.target import Target
from trl_doctor.machine.environment import Environment

SCRIPT = """\
import sys
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("json", data_files="rows.jsonl", split="train")
args = SFTConfig(output_dir="out", max_length={length})
trainer = SFTTrainer(model="model", args=args, train_dataset=rows)
trainer.train()
"""
HEALTHY = Path(__file__).parents[2] / "fixtures/models/healthy"
REHEARSE = "trl-doctor rehearse --python PATH_OF_THE_PYTHON_THAT_TRAINS"
"""This interpreter has no libraries: the one that has them is to be named."""

UNKNOWN = "int(open('length').read())"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.sbatch").write_text("#!/bin/bash\nsrun python train.py\n")
    return tmp_path


def last_paragraph(*arguments: str) -> str:
    output = CliRunner().invoke(main, ["check", "--level", "files", *arguments]).stdout
    return " ".join(output.split("\n\n")[-1].split())


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["train.py"], f"{REHEARSE} train.py"),
        (["train.py", "--", "--size", "7 b"], f"{REHEARSE} train.py --size '7 b'"),
        (["--python", "./python", "train.py"], "trl-doctor rehearse --python ./python train.py"),
        (["job.sbatch"], f"{REHEARSE} job.sbatch"),
    ],
)
def test_a_script_with_unknown_values(folder: Path, arguments: list[str], command: str) -> None:
    (folder / "train.py").write_text(SCRIPT.format(length=UNKNOWN))
    (folder / "python").symlink_to(sys.executable)
    assert last_paragraph(*arguments).startswith(f"next: `{command}` runs it at a small scale")
    assert "next:" not in last_paragraph("-q", *arguments)


OWN_CODE = "runs it at a small scale, with its own rows, rewards and functions"


@pytest.fixture
def known(folder: Path) -> Path:
    """A folder with a script whose arguments, model and rows are known."""
    shutil.copytree(HEALTHY, folder / "model")
    (folder / "rows.jsonl").write_text('{"text": "One two three."}\n' * 8)
    (folder / "train.py").write_text(SCRIPT.format(length=64))
    return folder


def test_a_script_that_passed_has_code_of_its_own(known: Path) -> None:
    assert OWN_CODE in last_paragraph("train.py")
    (known / "again.py").write_text(SCRIPT.format(length=64))
    assert "next:" not in last_paragraph("train.py", "again.py")


def test_a_model_that_is_not_known_is_known_in_a_rehearsal(known: Path) -> None:
    unread = SCRIPT.format(length=64).replace('model="model"', "model=open('name').read()")
    (known / "train.py").write_text(unread)
    assert "knows the values that reading does not" in last_paragraph("train.py")
    assert "train.py` runs it" in last_paragraph("train.py", "train.py")


def test_a_script_that_failed_is_corrected_first(known: Path) -> None:
    (known / "train.py").write_text(SCRIPT.format(length="64, learning_rate=-1"))
    assert "next:" not in last_paragraph("train.py")


def test_the_command_in_a_reason_has_the_words_and_the_interpreter() -> None:
    target = Target("train.py", "script", Path("train.py"), "a script", argv=("--lr", "1 2"))
    named = Environment(Path("/venv/bin/python"), (), given="/venv/bin/python")
    assert rehearsal(target, named) == (
        "trl-doctor rehearse --python /venv/bin/python train.py --lr '1 2'"
    )
    assert rehearsal(target, Environment(Path("python"), ())).startswith("trl-doctor rehearse tr")
