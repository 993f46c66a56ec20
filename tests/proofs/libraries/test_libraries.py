"""A library that does not import is named, and no other rule reports it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from commands import checks
from laid import ROOT, Interpreter

IMPORT = "from trl import GRPOTrainer"


@pytest.mark.environment("mismatched")
@pytest.mark.slow
def test_torchvision_for_another_torch_is_at_fault(interpreter: Interpreter) -> None:
    python = interpreter("mismatched")
    real = subprocess.run([python, "-c", IMPORT], capture_output=True, text=True)
    assert "Could not import module" in real.stderr
    checks = examined(python, alone=True)
    (finding,) = checks["library-does-not-import"]["findings"]
    assert "is not built for this torch" in finding["message"]
    assert finding["message"].startswith("torchvision ")
    first, _ = finding["evidence"]
    assert first == "RuntimeError: operator torchvision::nms does not exist"
    assert f"{python} -m pip uninstall --yes torchvision" in finding["remedy"]
    errors = [name for name, check in checks.items() if check["state"] == "found"]
    assert errors == ["library-does-not-import"]
    others = {check["reason"] for check in checks.values() if check["state"] == "skipped"}
    assert any("does not import there: RuntimeError" in reason for reason in others)


@pytest.mark.environment("ppo-last")
@pytest.mark.slow
def test_a_package_that_trl_forgets_to_require(tmp_path: Path, interpreter: Interpreter) -> None:
    """trl 1.12.0 freshly installed with transformers 5 has no requests."""
    python = without("requests", interpreter("ppo-last"), tmp_path)
    real = subprocess.run([python, "-c", IMPORT], capture_output=True, text=True)
    assert "No module named 'requests'" in real.stderr
    (finding,) = examined(python, alone=True)["library-does-not-import"]["findings"]
    assert finding["message"] == "requests is not installed: trl.GRPOTrainer does not import"
    assert finding["remedy"] == f"{python} -m pip install requests"


@pytest.mark.slow
def test_healthy_imports_have_no_finding(interpreter: Interpreter) -> None:
    assert examined(interpreter("current"))["library-does-not-import"]["state"] == "clear"


def examined(python: Path, *, alone: bool = False) -> dict[str, Any]:
    """What the doctor reports about the healthy GRPO run, by rule."""
    return checks(ROOT / "fixtures/grpo.yaml", python, "--level", "tiny", alone=alone)


def without(package: str, python: Path, folder: Path) -> Path:
    """The python of an environment like this one that lacks a package."""
    real = next((python.parents[1] / "lib").glob("python*"))
    packages = folder / "lib" / real.name / "site-packages"
    packages.mkdir(parents=True)
    for entry in (real / "site-packages").iterdir():
        if entry.name.partition("-")[0] != package:
            (packages / entry.name).symlink_to(entry)
    (folder / "bin").mkdir()
    (folder / "bin/python").symlink_to(python.resolve())
    (folder / "pyvenv.cfg").symlink_to(python.parents[1] / "pyvenv.cfg")
    return folder / "bin/python"
