"""Runs whose vLLM engine does what the doctor says: without it, with it, and repaired."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import make
import pytest
from engine_run import (
    END,
    LENGTH,
    RUN,
    TURN,
    candidate,
    errors,
    files,
    findings_of,
    real,
    target,
    tokenizer_into,
)

SEARCH = "</search>"
ADDED = ("<search>", SEARCH)
STOP = {**RUN, "generation_kwargs": {"stop": [SEARCH]}}

pytestmark = [pytest.mark.slow, pytest.mark.environment("engine")]


@pytest.fixture
def python(interpreter: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The environment with vLLM; and models whose heads its attention takes."""
    monkeypatch.setattr(make, "HIDDEN", 64)
    path: Path = interpreter("engine")
    return path


@pytest.mark.founding
def test_a_stop_string_on_a_token_that_only_training_has(tmp_path: Path, python: Path) -> None:
    run = {**STOP, "tokenizer_name_or_path": "tokens"}
    candidate(tmp_path, run)
    tokenizer_into(tmp_path / "tokens", ADDED)
    before = real(python, tmp_path, ask="train", run=run, say=SEARCH, decode=[SEARCH])
    assert (before["error"], before["decoded"]) == (None, [""])
    assert (before["length"], before["clipped"]) == (LENGTH, 1.0)

    assert {"vllm-tokenizer-lacks-tokens", "vllm-stop-ids-not-passed"} <= set(files(tmp_path))
    answer = findings_of(python, tmp_path)
    (past,) = answer["vllm-runs-past-turn-end"]
    assert f"vLLM runs past {SEARCH} (301)" in past["message"]
    assert past["follows_from"] == "vllm-stop-ids-not-passed"
    (differs,) = answer["vllm-tokenizer-differs"]
    assert differs["follows_from"] == "vllm-tokenizer-lacks-tokens"
    assert "<search>: vLLM reads it as 8 tokens, and decodes 300 to ''" in differs["evidence"]

    files(tmp_path, "--fix", "--unsafe-fixes")
    assert errors(findings_of(python, tmp_path)) == set()
    repaired = real(python, tmp_path, ask="train", run=run, say=SEARCH, decode=[SEARCH])
    assert (repaired["error"], repaired["decoded"]) == (None, [SEARCH])
    assert (repaired["length"], repaired["clipped"]) == (1.0, 0.0)


def test_a_stop_string_on_a_special_token_that_the_engine_knows(
    tmp_path: Path, python: Path
) -> None:
    candidate(tmp_path, STOP, added=ADDED)
    before = real(python, tmp_path, ask="train", run=STOP, say=SEARCH, decode=[SEARCH])
    assert (before["error"], before["decoded"]) == (None, [SEARCH])
    assert (before["length"], before["clipped"]) == (LENGTH, 1.0)
    assert errors(files(tmp_path)) == {"vllm-stop-ids-not-passed"}
    rules = errors(findings_of(python, tmp_path))
    assert rules == {"vllm-stop-ids-not-passed", "vllm-runs-past-turn-end"}
    files(tmp_path, "--fix")
    assert errors(findings_of(python, tmp_path)) == set()
    repaired = real(python, tmp_path, ask="train", run=STOP, say=SEARCH)
    assert (repaired["length"], repaired["clipped"]) == (1.0, 0.0)


def test_a_model_resized_in_memory(tmp_path: Path, python: Path) -> None:
    run = {**RUN, "tokenizer_name_or_path": "tokens"}
    candidate(tmp_path, run)
    tokenizer_into(tmp_path / "tokens", tuple(f"<new_{number}>" for number in range(24)))
    before = real(python, tmp_path, ask="train", run=run, resize=True)
    assert before["error"] == ["AssertionError", ""]
    assert before["source"] == "assert loaded_weight.shape[output_dim] == self.org_vocab_size"

    assert "vllm-vocabulary-resized" in errors(files(tmp_path))
    (refused,) = findings_of(python, tmp_path)["vllm-refuses-trainer-weights"]
    assert "resized from 320 to 324 tokens: AssertionError without a message" in refused["message"]
    assert refused["severity"] == "error"
    assert any(
        "[324, 64], the engine's built from disk [320, 64]" in line for line in refused["evidence"]
    )

    real(python, tmp_path, ask="save", run=run, into="resized")
    saved = {**RUN, "model_name_or_path": "resized"}
    (tmp_path / "run.json").write_text(json.dumps(saved))
    assert errors(findings_of(python, tmp_path)) == set()
    assert real(python, tmp_path, ask="train", run=saved)["error"] is None


def test_names_of_tensors_that_vllm_does_not_know(tmp_path: Path, python: Path) -> None:
    candidate(tmp_path, RUN)
    (tmp_path / "model/model.safetensors").unlink()
    experts = {"model_type": "mixtral", "num_local_experts": 4, "num_experts_per_tok": 2}
    config = make.config("MixtralForCausalLM", eos_token_id=298, pad_token_id=299, **experts)
    (tmp_path / "model/config.json").write_text(json.dumps(config))
    assert real(python, tmp_path, ask="build", into="model")["error"] is None
    before = real(python, tmp_path, ask="train", run=RUN)
    kind, message = before["error"]
    unknown = "There is no module or parameter named 'layers.0.mlp' in MixtralModel"
    assert (kind, unknown in message) == ("ValueError", True)
    (check,) = target(python, tmp_path, "--level", "tiny", "--select", "vllm-refuses-t*")["checks"]
    (refused,) = check["findings"]
    assert f"ValueError: {unknown}" in refused["message"]
    assert refused["severity"] == "error"


def test_a_turn_end_that_is_no_eos(tmp_path: Path, python: Path) -> None:
    candidate(tmp_path, RUN, eos=END)
    before = real(python, tmp_path, ask="train", run=RUN, say=TURN)
    assert (before["error"], before["length"], before["clipped"]) == (None, LENGTH, 1.0)
    assert errors(files(tmp_path)) == {"chat-template-turn-end-is-not-eos"}
    answer = findings_of(python, tmp_path)
    assert errors(answer) == {"chat-template-turn-end-is-not-eos", "vllm-runs-past-turn-end"}
    assert "finish_reason length" in answer["vllm-runs-past-turn-end"][0]["evidence"][0]
    files(tmp_path, "--fix")
    assert errors(findings_of(python, tmp_path)) == set()
    repaired = real(python, tmp_path, ask="train", run=RUN, say=TURN)
    assert (repaired["length"], repaired["clipped"]) == (1.0, 0.0)


def test_a_turn_end_that_the_run_forbids(tmp_path: Path, python: Path) -> None:
    healthy = {**RUN, "mask_truncated_completions": True}
    run = {**healthy, "generation_kwargs": {"bad_words": [TURN]}}
    candidate(tmp_path, run)
    before = real(python, tmp_path, ask="train", run=run, say=TURN)
    assert (before["length"], before["clipped"], before["gradient"]) == (LENGTH, 1.0, 0)
    assert errors(findings_of(python, tmp_path)) == {"vllm-never-says-turn-end"}
    (tmp_path / "run.json").write_text(json.dumps(healthy))
    assert errors(findings_of(python, tmp_path)) == set()
    repaired = real(python, tmp_path, ask="train", run=healthy, say=TURN)
    assert (repaired["length"], repaired["clipped"]) == (1.0, 0.0)


def test_top_p_biases_the_ratio(tmp_path: Path, python: Path) -> None:
    run = {**RUN, "top_p": 0.8}
    candidate(tmp_path, run)
    plain = real(python, tmp_path, ask="train", run=RUN)["log"]
    cut = real(python, tmp_path, ask="train", run=run)["log"]
    ratio, difference = (
        "sampling/importance_sampling_ratio/mean",
        "sampling/sampling_logp_difference/mean",
    )
    assert plain[ratio] == pytest.approx(1, abs=0.02)
    assert cut[ratio] < 0.3
    assert cut[difference] == pytest.approx(0.2231, abs=0.01)

    assert "vllm-sampling-biases-ratio" in errors(files(tmp_path))
    (differ,) = findings_of(python, tmp_path)["vllm-logprobs-differ"]
    assert "top_p 0.8 changes vLLM's token probabilities by a factor of 1.2" in differ["message"]


def test_arguments_that_vllm_does_not_know(tmp_path: Path, python: Path) -> None:
    run = {**RUN, "generation_kwargs": {"eos_token_id": 298}}
    candidate(tmp_path, run)
    before = real(python, tmp_path, ask="train", run=run)
    assert before["error"] == ["TypeError", "Unexpected keyword argument 'eos_token_id'"]
    (refused,) = findings_of(python, tmp_path)["vllm-refuses-sampling-arguments"]
    assert "TypeError: Unexpected keyword argument 'eos_token_id'" in refused["message"]
    candidate(tmp_path, {**RUN, "temperature": 0.001})
    answer = findings_of(python, tmp_path)
    (changed,) = answer["vllm-refuses-sampling-arguments"]
    assert changed["message"] == "temperature is 0.001 in the run, and 0.01 when vLLM samples"
    assert not errors(answer)
    # the trainer divides by 0.001: whether a probability shows it depends on how a processor rounds
    for differs in answer.get("vllm-logprobs-differ", []):
        assert differs["follows_from"] == "vllm-refuses-sampling-arguments"


def test_a_head_that_this_backend_lacks_is_no_finding(
    tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make, "HIDDEN", 32)
    candidate(tmp_path, RUN)
    skipped = target(python, tmp_path, "--level", "tiny", "--select", "vllm-engine-*")["checks"]
    (check,) = skipped
    assert check["state"] == "skipped"
    assert "no attention for the model" in check["reason"]
