"""The environments that the proofs run in; a proof whose environment is missing is skipped."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import answered

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "fixtures"))  # the proofs import make.py from there
sys.path.append(str(ROOT / "benchmarks"))  # and fit.py from there
SCRIPT = Path(__file__).with_name("real.py")


@pytest.fixture
def interpreter() -> Callable[[str], Path]:
    """The python of an environment by its name."""
    named = os.environ.get("TRL_DOCTOR_ENVIRONMENTS")
    folder = Path(named).absolute() if named else ROOT / "environments"

    def find(name: str) -> Path:
        python = folder / name / "bin" / "python"
        if not python.exists():
            pytest.skip(f"there is no {python}: environments/make.sh {name}")
        return python

    return find


@pytest.fixture
def real() -> Callable[..., dict[str, Any]]:
    """What the real libraries answer to a request about a candidate folder."""

    def ask(python: Path, folder: Path, **request: Any) -> dict[str, Any]:
        answer: dict[str, Any] = answered(python, SCRIPT, request=request, cwd=folder)
        return answer

    return ask
