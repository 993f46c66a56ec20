"""Steps that die or lose with the colocated engine: in the real trainer, and in the report."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from engine_run import (
    LENGTH,
    RUN,
    WINDOW,
    candidate,
    of_architecture,
    real,
    silent,
    target,
)
from laid import Interpreter

pytestmark = [pytest.mark.slow, pytest.mark.environment("engine")]


@pytest.fixture
def python(interpreter: Interpreter) -> Path:
    return interpreter("engine")


def findings_of(python: Path | None, folder: Path, *flags: str) -> dict[str, list[dict[str, Any]]]:
    """What the doctor finds about vLLM and the step with it, by rule."""
    flags = ("--select", "vllm-*", "--select", "kv-*", *flags)
    checks = target(python, folder, *flags)["checks"]
    by_rule = {check["rule"]: check["findings"] for check in checks if check["findings"]}
    by_rule.pop(WINDOW, None)
    return by_rule


def write(folder: Path, run: Mapping[str, Any]) -> None:
    """Another run of the same candidate."""
    (folder / "run.json").write_text(json.dumps(run))


@pytest.mark.parametrize(
    ("architecture", "model_type"),
    [("SmolLM3ForCausalLM", "smollm3"), ("GPTNeoXForCausalLM", "gpt_neox")],
)
def test_vllm_changes_the_class_of_the_model(
    tmp_path: Path, python: Path, architecture: str, model_type: str
) -> None:
    of_architecture(python, tmp_path, RUN, architecture=architecture, model_type=model_type)
    kind, message = real(python, tmp_path, ask="train", run=RUN)["error"]
    assert kind == "AttributeError"
    assert message.endswith("has no attribute 'do_not_compile'")
    stated = findings_of(None, tmp_path, "--with", "vllm==0.32.0")
    assert list(stated) == ["vllm-backend-breaks-model"]
    if architecture != "SmolLM3ForCausalLM":
        return
    text = findings_of(python, tmp_path)
    assert set(text) == {"vllm-backend-breaks-model", "vllm-step-raises"}
    assert text["vllm-step-raises"][0]["follows_from"] == "vllm-backend-breaks-model"

    repaired = {**RUN, "use_vllm": False}
    write(tmp_path, repaired)
    assert findings_of(None, tmp_path, "--with", "vllm==0.32.0") == {}
    assert real(python, tmp_path, ask="train", run=repaired)["error"] is None


def test_one_request_does_not_fit_the_cache(tmp_path: Path, python: Path) -> None:
    run = {**RUN, "vllm_max_model_length": 131072, "max_completion_length": LENGTH}
    wide = {"num_attention_heads": 64, "num_key_value_heads": 64, "head_dim": 64}
    of_architecture(
        python, tmp_path, run, architecture="LlamaForCausalLM", max_position_embeddings=131072,
        **wide,
    )  # fmt: skip
    kind, message = real(python, tmp_path, ask="train", run=run)["error"]
    assert kind == "ValueError"
    assert "KV cache is needed, which is larger than the available KV cache memory" in message
    needed = re.search(r"([\d.]+) GiB KV cache is needed", message)
    assert needed, message
    (text,) = findings_of(None, tmp_path, "--gpu", "T4-16GB")["kv-cache-too-small"]
    takes = f"one request of 131,072 tokens takes {float(needed[1]):.1f} GiB of cache"
    assert text["message"].startswith(takes)

    repaired = {**run, "vllm_max_model_length": 2048}
    write(tmp_path, repaired)
    assert findings_of(None, tmp_path, "--gpu", "T4-16GB") == {}
    assert real(python, tmp_path, ask="train", run=repaired)["error"] is None


def test_a_stop_string_counts_as_truncated(tmp_path: Path, python: Path) -> None:
    masked = {"mask_truncated_completions": True}
    letters = [chr(code) for code in range(33, 127)]
    run = {**RUN, **masked, "generation_kwargs": {"stop": letters}}
    candidate(tmp_path, run)
    before = real(python, tmp_path, ask="train", run=run)
    assert before["length"] < LENGTH
    assert before["clipped"] == 1.0
    assert (before["loss"], before["gradient"]) == (0, 0)
    (text,) = findings_of(None, tmp_path)["vllm-stop-strings-count-as-truncated"]
    assert text["severity"] == "error"

    repaired = {**run, "mask_truncated_completions": False}
    write(tmp_path, repaired)
    after = real(python, tmp_path, ask="train", run=repaired)
    assert (after["length"], after["gradient"] > 0) == (before["length"], True)
    (left,) = findings_of(None, tmp_path)["vllm-stop-strings-count-as-truncated"]
    assert left["severity"] == "warning"


OPT = {"architecture": "OPTForCausalLM", "model_type": "opt", "ffn_dim": 64, "dropout": 0.1,
       "word_embed_proj_dim": 64, "activation_function": "relu"}  # fmt: skip
DIFFERENCE = "sampling/sampling_logp_difference/mean"


def test_dropout_without_a_module(tmp_path: Path, python: Path) -> None:
    run = {**RUN, "disable_dropout": True}
    of_architecture(python, tmp_path, run, **OPT)
    before = real(python, tmp_path, ask="train", run=run)
    (text,) = findings_of(python, tmp_path)["vllm-logprobs-differ-by-dropout"]
    assert "dropout (dropout 0.1) changes the trainer's token probabilities" in text["message"]
    assert text["remedy"] == "set model_init_kwargs: {dropout: 0.0} for dropout without a module"

    repaired = {**run, "model_init_kwargs": {"dropout": 0.0}}
    write(tmp_path, repaired)
    assert findings_of(python, tmp_path) == {}
    after = real(python, tmp_path, ask="train", run=repaired)
    assert before["log"][DIFFERENCE] > 5 * after["log"][DIFFERENCE]


def test_dropout_of_an_adapter(tmp_path: Path, python: Path) -> None:
    run = {**RUN, "use_peft": True, "lora_target_modules": "all-linear", "lora_dropout": 0.3}
    candidate(tmp_path, run)
    before = real(python, tmp_path, ask="train", run=run)
    (text,) = findings_of(python, tmp_path)["vllm-logprobs-differ-by-dropout"]
    assert "dropout (lora_dropout 0.3)" in text["message"]

    repaired = {**run, "lora_dropout": 0.0}
    write(tmp_path, repaired)
    assert findings_of(python, tmp_path) == {}
    after = real(python, tmp_path, ask="train", run=repaired)
    assert before["log"][DIFFERENCE] > 2 * after["log"][DIFFERENCE]


def test_a_prompt_longer_than_the_context(tmp_path: Path, python: Path) -> None:
    run = {**RUN, "vllm_max_model_length": 128, "dataset_name": "rows.jsonl"}
    candidate(tmp_path, run)
    text = "The sea was calm, and the boats came home before noon. " * 20
    rows = [{"prompt": [{"role": "user", "content": content}]} for content in ("Hello.", text)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "rows.jsonl").write_text(lines)
    kind, message = real(python, tmp_path, ask="train", run=run, text=text)["error"]
    assert kind == "VLLMValidationError" and "128" in message
    (finding,) = findings_of(python, tmp_path)["vllm-prompt-exceeds-context"]
    assert "but vLLM's context has 128: vLLM refuses it" in finding["message"]

    repaired = {**run, "vllm_max_model_length": 1024}
    write(tmp_path, repaired)
    assert findings_of(python, tmp_path) == {}
    assert real(python, tmp_path, ask="train", run=repaired, text=text)["error"] is None


def test_generation_kwargs_in_place_of_those_of_trl(tmp_path: Path, python: Path) -> None:
    more = {**RUN, "generation_kwargs": {"n": 2}}
    candidate(tmp_path, more)
    kind, message = real(python, tmp_path, ask="train", run=more)["error"]
    assert kind == "RuntimeError" and "Sizes of tensors must match" in message
    text = findings_of(python, tmp_path)
    assert set(text) == {"vllm-sampling-replaces-trl", "vllm-step-raises"}

    likeliest = {**RUN, "generation_kwargs": {"logprobs": 3}}
    assert real(python, tmp_path, ask="train", run=likeliest)["log"][DIFFERENCE] > 0.1
    write(tmp_path, likeliest)
    assert set(findings_of(None, tmp_path)) == {"vllm-sampling-replaces-trl"}


def test_a_seed_repeats_completions_and_a_bound_masks_them(tmp_path: Path, python: Path) -> None:
    seeded = {**RUN, "generation_kwargs": {"seed": 7}}
    candidate(tmp_path, seeded)
    assert real(python, tmp_path, ask="train", run=seeded)["different"] == 1
    assert set(findings_of(None, tmp_path)) == {"vllm-seed-repeats-completions"}
    masked = {**RUN, "vllm_importance_sampling_clip_max": 0.5}
    write(tmp_path, masked)
    assert set(findings_of(None, tmp_path)) == {"vllm-importance-bounds-mask-all"}
    assert real(python, tmp_path, ask="train", run=masked)["gradient"] == 0
    write(tmp_path, RUN)
    assert findings_of(None, tmp_path) == {}
    repaired = real(python, tmp_path, ask="train", run=RUN)
    assert (repaired["different"], repaired["gradient"] > 0) == (RUN["num_generations"], True)
    assert repaired["log"][DIFFERENCE] < 0.01


def test_rloo_with_values_that_vllm_refuses(tmp_path: Path, python: Path) -> None:
    share, value = "vllm-memory-share-refused", "vllm-sampling-value-refused"
    run = {**RUN, "trainer": "rloo", "vllm_gpu_memory_utilization": 30,
           "generation_kwargs": {"temperature": "0.7"}}  # fmt: skip
    candidate(tmp_path, run)
    kind, message = real(python, tmp_path, ask="train", run=run)["error"]
    assert (kind, "less than or equal to 1" in message) == ("ValidationError", True)
    assert set(findings_of(None, tmp_path, "--with", "vllm==0.32.0")) == {share, value}

    halfway = {**run, "vllm_gpu_memory_utilization": 0.1}
    write(tmp_path, halfway)
    kind, message = real(python, tmp_path, ask="train", run=halfway)["error"]
    assert (kind, "not supported between instances" in message) == ("TypeError", True)
    text = findings_of(python, tmp_path)
    assert set(text) == {value, "vllm-refuses-sampling-arguments", "vllm-step-raises"}
    assert text["vllm-refuses-sampling-arguments"][0]["follows_from"] == value

    repaired = {**halfway, "temperature": 0.7, "top_k": -1}
    del repaired["generation_kwargs"]
    write(tmp_path, repaired)
    assert findings_of(python, tmp_path) == {}
    step = real(python, tmp_path, ask="train", run=repaired)
    assert (step["error"], step["gradient"] > 0) == (None, True)


def test_a_trainer_that_refuses_before_its_engine(tmp_path: Path, python: Path) -> None:
    run = {**RUN, "loss_type": "vespo"}
    candidate(tmp_path, run)
    kind, message = real(python, tmp_path, ask="train", run=run)["error"]
    assert (kind, message.startswith("VESPO loss requires")) == ("ValueError", True)
    (raises,) = findings_of(python, tmp_path)["vllm-step-raises"]
    assert f"the step with vLLM raises ValueError: {message}"[:200] in raises["message"]

    repaired = {**run, "vllm_importance_sampling_mode": "token_truncate"}
    write(tmp_path, repaired)
    assert findings_of(python, tmp_path) == {}
    assert real(python, tmp_path, ask="train", run=repaired)["error"] is None


ONLY_GROUPS = ("num_generations", "max_completion_length")
ONLINE_DPO: dict[str, Any] = {
    **{key: value for key, value in RUN.items() if key not in ONLY_GROUPS},
    "trainer": "online_dpo",
    "max_new_tokens": LENGTH,
    "max_length": 64,
}


def test_online_dpo_dies_of_the_same_and_is_healthy_else(tmp_path: Path, python: Path) -> None:
    model = {"architecture": "SmolLM3ForCausalLM", "model_type": "smollm3"}
    of_architecture(python, tmp_path, ONLINE_DPO, **model)
    kind, message = real(python, tmp_path, ask="train", run=ONLINE_DPO)["error"]
    assert (kind, "'do_not_compile'" in message) == ("AttributeError", True)
    text = findings_of(python, tmp_path)
    assert set(text) == {"vllm-backend-breaks-model", "vllm-step-raises"}

    candidate(tmp_path, ONLINE_DPO)
    step = real(python, tmp_path, ask="train", run=ONLINE_DPO)
    assert (step["error"], step["gradient"] > 0) == (None, True)
    assert silent(python, tmp_path)
