"""Metadata of another release with a package: its trainer does not start; the doctor says why."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import checks
from laid import Interpreter

RULE = "package-half-replaced"
RUN = {"trainer": "sft", "model_name_or_path": "model", "output_dir": "out"}
REFUSED = "Using the `Trainer` with `PyTorch` requires `accelerate>=1.1.0`"
START = "from trl import SFTConfig; SFTConfig(output_dir='out', bf16=False, use_cpu=True).device"


@pytest.mark.slow
def test_stale_metadata_of_a_package(tmp_path: Path, interpreter: Interpreter) -> None:
    whole = interpreter("current")
    python = copied(whole, tmp_path / "venv")
    (tmp_path / "run.json").write_text(json.dumps(RUN))
    (stale,) = tmp_path.glob("venv/lib/python3*/site-packages/accelerate-0.20.0.dist-info")
    assert REFUSED in started(python, tmp_path).stderr
    (finding,) = messages(python, tmp_path)
    assert finding == "accelerate is half installed: its metadata says 0.20.0, its code 1.15.0"
    shutil.rmtree(stale)
    assert started(python, tmp_path).returncode == 0
    assert messages(python, tmp_path) == messages(whole, tmp_path) == []


def started(python: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """What becomes of a trainer's arguments in a process of their own."""
    command = [python, "-W", "ignore", "-c", START]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


def messages(python: Path, folder: Path) -> list[str]:
    """What the doctor reports about the installation, from its files."""
    outcomes = checks(
        folder / "run.json", python, "--level", "files", "--select", RULE, statuses=(0, 3)
    )
    return [finding["message"] for finding in outcomes[RULE]["findings"]]


def copied(whole: Path, folder: Path) -> Path:
    """An interpreter with the packages of another, where accelerate's metadata is another's."""
    subprocess.run([whole, "-m", "venv", "--without-pip", "--symlinks", folder], check=True)
    (site,) = folder.glob("lib/python3*/site-packages")
    version = f"python{sys.version_info.major}.*"
    (packages,) = (whole.parents[1] / "lib").glob(f"{version}/site-packages")
    (site / "accelerate").symlink_to(packages / "accelerate")
    stale = site / "accelerate-0.20.0.dist-info"
    stale.mkdir()
    (stale / "METADATA").write_text("Metadata-Version: 2.1\nName: accelerate\nVersion: 0.20.0\n")
    (site / "others.pth").write_text(f"{packages}\n")
    return folder / "bin/python"
