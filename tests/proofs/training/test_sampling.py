"""What a run samples with, and which answers it is paid for: the real step and the doctor agree."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import make
import pytest
from laid import (
    GRPO,
    NO_TURN_END,
    PPO,
    TURN,
    UNSAFE,
    Interpreter,
    Real,
    candidate,
    errors,
    findings,
    run_of,
    sampled,
)

GENERATION = "generation_config.json"
SHARP = {"temperature": 0.1, "top_p": 0.5, "repetition_penalty": 1.3}
SAMPLED = {**SHARP, "do_sample": True}
PLAIN = {"temperature": 1.0, "top_p": 1.0, "repetition_penalty": 1.0}
GREEDY = {"top_k": 1}
OPEN = {**GRPO, "top_k": None}
ENGINE = {
    **GRPO,
    "use_vllm": True,
    "vllm_mode": "colocate",
    "vllm_gpu_memory_utilization": 0.1,
    "vllm_max_model_length": 128,
    "per_device_train_batch_size": 8,
    "num_generations": 8,
    "max_completion_length": 32,
    "top_p": 0.8,
}
OVERRIDES, IGNORES = "generation-config-overrides-sampling", "ppo-penalty-ignores-stop-token"
BIASES, PAIR = "vllm-sampling-biases-ratio", "trl-fails-with-this-transformers"


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["grpo-silent", "four"])
def test_the_repaired_run_samples_with_its_own_values(
    environment: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter(environment)
    run = {**GRPO, "temperature": 1.0}
    candidate(tmp_path, run, {GENERATION: {**SAMPLED, "transformers_version": "4.51.0"}})
    before = sampled(python, tmp_path, "sample")
    assert (before["error"], values(before, SHARP)) == (None, SHARP)
    assert errors(python, tmp_path) == {OVERRIDES}
    assert errors(python, tmp_path, *UNSAFE) == set()
    after = sampled(python, tmp_path, "sample")
    assert (after["error"], values(after, PLAIN)) == (None, PLAIN)


@pytest.mark.environment("four")
@pytest.mark.slow
def test_what_an_older_transformers_wrote_overrides_nothing(
    tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("four")
    candidate(tmp_path, GRPO, {GENERATION: {**SAMPLED, "transformers_version": "4.45.1"}})
    sampling = sampled(python, tmp_path, "sample")
    assert (sampling["error"], values(sampling, PLAIN)) == (None, PLAIN)
    assert errors(python, tmp_path) == set()


@pytest.mark.slow
def test_an_open_top_k_is_the_models(tmp_path: Path, interpreter: Interpreter) -> None:
    """The answers of a group are all alike, and differ once the run says top_k itself."""
    python = interpreter("current")
    candidate(tmp_path, OPEN, {GENERATION: {**GREEDY, "transformers_version": "4.51.0"}})
    before = sampled(python, tmp_path, "sample")
    assert (before["error"], values(before, GREEDY), before["different"]) == (None, GREEDY, 1)
    assert errors(python, tmp_path) == {OVERRIDES}
    assert errors(python, tmp_path, *UNSAFE) == set()
    assert run_of(tmp_path)["top_k"] == 0
    after = sampled(python, tmp_path, "sample")
    assert (after["error"], after["with"]["top_k"], after["different"]) == (None, 0, 2)


@pytest.mark.environment("ppo-last")
@pytest.mark.slow
def test_ppo_punishes_finished_answers(tmp_path: Path, interpreter: Interpreter) -> None:
    """The run stops at the end of the turn, with which the policy ends every answer."""
    python, turn_id = interpreter("ppo-last"), make.tokenizer().token_to_id(TURN)
    run = {key: value for key, value in PPO.items() if key != "stop_token"}
    run |= {"missing_eos_penalty": 1.0, "stop_token_id": turn_id, "kl_coef": 0.0}
    candidate(tmp_path, run, NO_TURN_END)
    assert sampled(python, tmp_path, "score", say=TURN) == {"error": None, "score": -1.0}
    assert errors(python, tmp_path) == {IGNORES}
    assert errors(python, tmp_path, *UNSAFE) == set()
    assert run_of(tmp_path)["stop_token"] == "eos"
    assert sampled(python, tmp_path, "score", say=TURN) == {"error": None, "score": 0.0}


@pytest.mark.environment("engine")
@pytest.mark.slow
def test_truncated_sampling_starves_the_gradient(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("engine")
    candidate(tmp_path, ENGINE)
    before = sampled(python, tmp_path, "ratio")
    assert before["error"] is None
    assert errors(python, tmp_path) == {BIASES}
    assert errors(python, tmp_path, *UNSAFE) == set()
    assert "top_p" not in run_of(tmp_path)
    after = sampled(python, tmp_path, "ratio")
    assert after["error"] is None
    assert before["ratio"] < 0.2 < 0.8 < after["ratio"]
    assert before["gradient"] < after["gradient"] / 10


@pytest.mark.environment("grpo-silent")
@pytest.mark.slow
def test_a_pair_that_pip_installs_dies_at_the_first_step(
    tmp_path: Path, interpreter: Interpreter, real: Real, monkeypatch: pytest.MonkeyPatch
) -> None:
    """trl 0.15.2 laid over transformers 4.53.3; it runs with an older one, as the remedy says."""
    python, older = interpreter("grpo-silent"), interpreter("grpo-first")
    candidate(tmp_path / "run", GRPO)
    (tmp_path / "over").mkdir()
    for package in older.parents[1].glob("lib/python*/site-packages/trl*"):
        (tmp_path / "over" / package.name).symlink_to(package)
    request = {"ask": "train", "run": GRPO}
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "over"))
    says = "_get_train_sampler() takes 1 positional argument but 2 were given"
    assert says in real(python, tmp_path / "run", **request)["error"]
    (finding,) = findings(python, tmp_path / "run")[PAIR]
    assert "trl 0.15.2 with transformers 4.53.3 failed in our tests" in finding["message"]
    assert says in finding["message"]
    assert "transformers 4.51.3 or older" in finding["remedy"]
    monkeypatch.delenv("PYTHONPATH")
    assert real(older, tmp_path / "run", **request)["error"] is None
    assert errors(older, tmp_path / "run") == set()


def values(answer: Mapping[str, Any], like: Mapping[str, float]) -> dict[str, float]:
    """The sampling values of a step that `like` has."""
    return {key: answer["with"][key] for key in like}
