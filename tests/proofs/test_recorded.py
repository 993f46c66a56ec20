"""What the rules' examples take for answers has the shape of what the probes answer today."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from commands import kept_hosts
from laid import Interpreter
from trl_doctor_rules._recorded.runs import FOLDER, RUNS

SCRIPT = Path(__file__).parents[2] / "history" / "record_answers.py"


ENGINE = pytest.mark.environment("engine")
WITH_ENVIRONMENTS = [
    pytest.param(run, marks=[ENGINE] if run == "vllm" else [])
    for run in (*RUNS, "fit_qwen2_7b_grpo")
]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The command that records."""
    spec = importlib.util.spec_from_file_location("record_answers", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("run", WITH_ENVIRONMENTS)
def test_recorded_answers_have_the_shape_of_real_ones(
    run: str, script: ModuleType, interpreter: Interpreter
) -> None:
    name, _ = script.ASKED[run]
    with kept_hosts():
        real = script.answers(run, interpreter(name))
    recorded = json.loads((FOLDER / f"{run}.json").read_text("utf-8"))
    assert shape(recorded) == shape(real)


def shape(value: Any) -> Any:
    """Keys and types, of a list those of its items; numbers are one type."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted({repr(shape(item)) for item in value})
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number"
    return type(value).__name__
