"""Healthy candidates: their step is taken with the engine, and nothing is reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from engine_run import RUN, of_architecture, real, silent
from laid import Interpreter

from trl_doctor.core.finding import Json

pytestmark = [pytest.mark.slow, pytest.mark.environment("engine")]


@pytest.fixture
def python(interpreter: Interpreter) -> Path:
    return interpreter("engine")


TEACHER = {"teacher_model_name_or_path": "teacher"}
HEALTHY: dict[str, tuple[dict[str, Json], dict[str, Json]]] = {
    "LlamaForCausalLM": ({"model_type": "llama", "max_position_embeddings": 128}, {}),
    "Qwen2ForCausalLM": ({"model_type": "qwen2"}, {"trainer": "sdpo"}),
    "Qwen3ForCausalLM": (
        {"model_type": "qwen3", "head_dim": 32},
        {"trainer": "gold", **TEACHER, "num_generations": None},
    ),
    "Gemma2ForCausalLM": (
        {"model_type": "gemma2", "head_dim": 32},
        {"trainer": "distillation", **TEACHER, "num_generations": None},
    ),
    "MistralForCausalLM": (
        {"model_type": "mistral", "head_dim": 32, "sliding_window": None},
        {"trainer": "iw_opd", **TEACHER, "num_generations": None},
    ),
    "GraniteForCausalLM": ({"model_type": "granite"}, {"trainer": "sdft"}),
}
"""Architectures, and the trainers that generate with vLLM."""


@pytest.mark.parametrize("architecture", HEALTHY)
def test_healthy_candidates_have_no_finding(
    tmp_path: Path, python: Path, architecture: str
) -> None:
    config, own = HEALTHY[architecture]
    run = {key: value for key, value in {**RUN, **own}.items() if value is not None}
    of_architecture(python, tmp_path, run, architecture=architecture, **config)
    if not own:
        step = real(python, tmp_path, ask="train", run=run)
        assert (step["error"], step["gradient"] > 0) == (None, True)
    assert silent(python, tmp_path, "run-*" if own else "step-*")
