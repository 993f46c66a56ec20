"""Files with the names of libraries: what the job makes of them, what the doctor and its probes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from commands import QUIET, checks
from laid import ROOT, Interpreter
from test_working_folder import MARK, MODULES

RUN = {
    "model_name_or_path": "models/healthy",
    "dataset_name": "data/messages",
    "output_dir": "out",
    "max_steps": 1,
    "use_cpu": True,
    "bf16": False,
    "report_to": "none",
}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    for name in ("models", "data"):
        shutil.copytree(ROOT / "fixtures" / name, tmp_path / "work" / name)
    (tmp_path / "work" / "sft.yaml").write_text(json.dumps(RUN))
    (tmp_path / "work" / "train.py").write_text("import datasets\n\ndatasets.Dataset\n")
    return tmp_path


def started(work: Path, *command: str | Path) -> tuple[int, set[str]]:
    """The exit status of a job started in the folder, and the modules of the folder that ran."""
    process = subprocess.run(
        command, cwd=work / "work", env={**os.environ, **QUIET}, capture_output=True
    )
    mark = work / "run"
    ran = set(mark.read_text().split()) if mark.exists() else set()
    mark.unlink(missing_ok=True)
    return process.returncode, ran


SHADOWS = ("datasets", "queue", "sitecustomize")


@pytest.mark.slow
def test_a_script_imports_the_file_and_the_command_of_trl_does_not(
    work: Path, interpreter: Interpreter
) -> None:
    python = interpreter("current")
    for module in SHADOWS:
        shadow = work / "work" / f"{module}.py"
        shadow.write_text(MARK.format(str(work / "run")))
        harmless = module == "sitecustomize"  # the interpreter imports it before the folder counts
        for command in ("train.py",), ("-m", "train"):
            status, ran = started(work, python, *command)
            assert (status == 0, ran) == (harmless, set() if harmless else {module})
        flags = ("--select", "library-shadowed-by-file", "--trainer", "sft", "--level", "files")
        outcomes = checks(Path("sft.yaml"), python, *flags, cwd=work / "work")
        assert bool(outcomes["library-shadowed-by-file"]["findings"]) is not harmless
        shadow.unlink()
    for module in SHADOWS:
        (work / "work" / f"{module}.py").write_text(MARK.format(str(work / "run")))
    assert started(work, python, "-P", "train.py") == (0, set())
    assert started(work, python.with_name("trl"), "sft", "--config", "sft.yaml") == (0, set())


@pytest.mark.slow
def test_no_probe_runs_a_module_of_the_working_folder(work: Path, interpreter: Interpreter) -> None:
    for name in MODULES:
        (work / "work" / f"{name}.py").write_text(MARK.format(str(work / "run")))
    outcomes = checks(
        Path("sft.yaml"), interpreter("current"), "--trainer", "sft", "--level", "tiny",
        cwd=work / "work", alone=True,
    )  # fmt: skip
    assert outcomes["step-raises"]["state"] == "clear"
    assert not (work / "run").exists(), (work / "run").read_text()
