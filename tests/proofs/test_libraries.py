"""A library that does not import is named, and nothing else is blamed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import checks

ROOT = Path(__file__).parents[2]
IMPORT = "from trl import GRPOTrainer"


@pytest.mark.slow
def test_torchvision_for_another_torch_is_at_fault(interpreter: Callable[[str], Path]) -> None:
    python = interpreter("mismatched")
    real = subprocess.run([python, "-c", IMPORT], capture_output=True, text=True)
    assert "Could not import module" in real.stderr
    checks = examined(python)
    (finding,) = checks["library-does-not-import"]["findings"]
    assert "torchvision is at fault" in finding["message"]
    assert "operator torchvision::nms does not exist" in finding["message"]
    errors = [name for name, one in checks.items() if one["state"] == "found"]
    assert errors == ["library-does-not-import"]
    others = {one["reason"] for one in checks.values() if one["state"] == "skipped"}
    assert any("does not import there: RuntimeError" in reason for reason in others)


@pytest.mark.slow
def test_where_all_imports_nothing_is_said(interpreter: Callable[[str], Path]) -> None:
    assert examined(interpreter("current"))["library-does-not-import"]["state"] == "clear"


def examined(python: Path) -> dict[str, Any]:
    """What the doctor says of the healthy GRPO run, by rule."""
    return checks(ROOT / "fixtures/grpo.yaml", python, "--level", "tiny")
