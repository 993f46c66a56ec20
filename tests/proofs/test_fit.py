"""The forecast of memory against real steps of the real trainers under the same tracker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import fit as benchmark
import pytest

CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "sft of a model with windows": ("gemma3", "sft", {}),
    "sft of experts": ("qwen3_moe", "sft", {"gradient_checkpointing": True}),
    "grpo with a reference": ("llama", "grpo", {"beta": 0.04}),
    "dpo with LoRA": ("llama", "dpo", {**benchmark.LORA}),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_parts_are_equal_and_the_peak_is_near(
    case: str, tmp_path: Path, interpreter: Callable[[str], Path]
) -> None:
    model, trainer, arguments = CASES[case]
    compared(interpreter("current"), tmp_path, model, trainer, **arguments)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "trainer"),
    [("ppo-last", "ppo"), ("grpo-first", "grpo"), ("grpo-shapes", "sft"), ("four", "kto")],
)
def test_older_releases(
    environment: str, trainer: str, tmp_path: Path, interpreter: Callable[[str], Path]
) -> None:
    # a trace takes rows to be padded, and keeps a mask that releases before 5 leave out without
    compared(interpreter(environment), tmp_path, "llama", trainer, above=0.15)


def compared(
    python: Path, folder: Path, model: str, trainer: str, above: float = 0.05, **arguments: Any
) -> None:
    """Hold the forecast of a run to two real steps of it; it may be `above` them by so much."""
    request = benchmark.request(folder, model, trainer, **arguments)
    (found,) = benchmark.answers(str(python), {"one": request})
    forecast, real = found["forecast"], found["real"]
    assert "failed" not in forecast, forecast["failed"]
    assert "failed" not in real, real["failed"]
    for part in benchmark.EXACT:
        assert forecast["held"][part] == real["held"][part], part
    assert 0.95 <= benchmark.top(forecast) / benchmark.top(real) <= 1 + above
