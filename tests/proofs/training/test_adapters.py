"""Adapters, attention and weights: what SFT makes of the run, and the report before it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import checks, ran
from laid import UNSAFE, Interpreter, candidate, errors, findings, run_of, sampled

SFT: dict[str, Any] = {
    "trainer": "sft",
    "model_name_or_path": "model",
    "num_processes": 1,
    "bf16": False,
}
ADAPTER: dict[str, Any] = {**SFT, "use_peft": True}
KEY = "lora_target_modules"
SLOW: dict[str, Any] = {
    **SFT,
    "model_init_kwargs": {"dtype": "bfloat16"},
    "learning_rate": 1e-6,
    "max_steps": 10,
}
TARGETS, STILL = "adapter-targets-nothing", "weights-in-bf16-do-not-move"
FLASH = "flash-attention-not-installed"
LEFT_OVER = "adapter-config-not-passed"


@pytest.mark.slow
def test_a_single_name_is_a_pattern(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("current")
    candidate(tmp_path, {**ADAPTER, KEY: ["q_proj"]})
    before = sampled(python, tmp_path, "learn")["error"]
    assert "Target modules q_proj not found in the base model" in before
    assert errors(python, tmp_path) == {TARGETS}
    assert errors(python, tmp_path, "--fix") == set()
    assert run_of(tmp_path)[KEY] == [r".*\.q_proj"]
    after = sampled(python, tmp_path, "learn")
    assert (after["error"], after.get("adapted")) == (None, ["q_proj"])


SCRIPT = """\
from datasets import Dataset
from peft import LoraConfig
from trl import SFTConfig, SFTTrainer

rows = Dataset.from_dict({"text": ["One two three."] * 4})
adapter = LoraConfig(r=4, target_modules=["q_proj"])
arguments = SFTConfig("out", max_steps=1, bf16=False, use_cpu=True, report_to="none")
SFTTrainer("model", args=arguments, train_dataset=rows, peft_config=adapter).train()
"""


@pytest.mark.slow
def test_a_single_name_in_a_script_is_a_name(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("current")
    candidate(tmp_path, ADAPTER)
    (tmp_path / "train.py").write_text(SCRIPT)
    process = ran(python, "train.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    outcomes = checks(tmp_path / "train.py", python, "--level", "tiny", statuses=(0, 3))
    assert [rule for rule, check in outcomes.items() if check["findings"]] == []
    assert outcomes["adapter-targets-missing-modules"]["state"] == "clear"


@pytest.mark.slow
@pytest.mark.parametrize("passed", [False, True])
def test_a_config_that_the_trainer_does_not_get(
    passed: bool, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("current")
    candidate(tmp_path, ADAPTER)
    text = SCRIPT if passed else SCRIPT.replace(", peft_config=adapter", "")
    (tmp_path / "train.py").write_text(text)
    process = ran(python, "train.py", cwd=tmp_path)
    assert process.returncode == 0, process.stderr[-2000:]
    saved = {path.name for path in (tmp_path / "out/checkpoint-1").glob("*model.safetensors")}
    assert saved == {"adapter_model.safetensors" if passed else "model.safetensors"}
    outcomes = checks(tmp_path / "train.py", python, "--level", "files")[LEFT_OVER]["findings"]
    assert [finding["severity"] for finding in outcomes] == ([] if passed else ["warning"])


@pytest.mark.slow
def test_names_of_another_model_are_refused(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("current")
    candidate(tmp_path / "broken", {**ADAPTER, KEY: ["W_pack", "c_attn"]})
    before = sampled(python, tmp_path / "broken", "learn")["error"]
    assert "not found in the base model" in before
    assert errors(python, tmp_path / "broken") == {TARGETS}
    candidate(tmp_path / "repaired", {**ADAPTER, KEY: ["q_proj", "v_proj"]})
    after = sampled(python, tmp_path / "repaired", "learn")
    assert (after["error"], after.get("adapted")) == (None, ["q_proj", "v_proj"])
    assert findings(python, tmp_path / "repaired")[TARGETS] == []


@pytest.mark.slow
def test_one_strange_name_is_left_out_silently(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("current")
    candidate(tmp_path, {**ADAPTER, KEY: ["q_proj", "W_pack"]})
    sampling = sampled(python, tmp_path, "learn")
    assert (sampling["error"], sampling.get("adapted")) == (None, ["q_proj"])
    (results,) = findings(python, tmp_path)[TARGETS]
    assert results["severity"] == "warning"
    assert "no module W_pack: PEFT leaves it out and gives no warning" in results["message"]


@pytest.mark.slow
@pytest.mark.parametrize("attention", ["flash_attention_2", "flash_attention_3"])
def test_flash_attention_is_not_there(
    attention: str, tmp_path: Path, interpreter: Interpreter
) -> None:
    python = interpreter("current")
    candidate(tmp_path, {**SFT, "model_init_kwargs": {"attn_implementation": attention}})
    before = sampled(python, tmp_path, "learn")["error"]
    assert before.startswith("ImportError: FlashAttention")
    assert "has been toggled on, but it cannot be used" in before
    assert errors(python, tmp_path) == {FLASH}
    assert errors(python, tmp_path, *UNSAFE) == set()
    assert run_of(tmp_path)["model_init_kwargs"] == {"attn_implementation": "sdpa"}
    assert sampled(python, tmp_path, "learn")["error"] is None


@pytest.mark.slow
def test_weights_in_bf16_stay_where_they_are(tmp_path: Path, interpreter: Interpreter) -> None:
    """Ten steps at 1e-6 change a few weights in bfloat16, and nearly all in float32."""
    python = interpreter("current")
    candidate(tmp_path, SLOW)
    before = sampled(python, tmp_path, "learn")
    assert before["error"] is None
    (results,) = findings(python, tmp_path)[STILL]
    assert "about 2 % of them move at all" in results["message"]
    assert findings(python, tmp_path, *UNSAFE)[STILL] == []
    after = sampled(python, tmp_path, "learn")
    assert after["error"] is None
    assert before["moved"] < 0.05 < 0.95 < after["moved"]


MIXTURE = {
    "config.json": {
        "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "num_experts": 4,
        "num_experts_per_tok": 2, "moe_intermediate_size": 16, "decoder_sparse_step": 1,
    }
}  # fmt: skip


WEIGHTS = """
from transformers import AutoConfig, AutoModelForCausalLM
config = AutoConfig.from_pretrained("model")
AutoModelForCausalLM.from_config(config).save_pretrained("model")
"""


@pytest.mark.slow
def test_dropout_on_experts_is_refused(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("current")
    candidate(tmp_path, {**ADAPTER, KEY: "all-linear"}, MIXTURE)
    assert ran(python, "-c", WEIGHTS, cwd=tmp_path).returncode == 0
    before = sampled(python, tmp_path, "learn")["error"]
    assert "ParamWrapper does not work with lora_dropout" in before
    assert errors(python, tmp_path) >= {"adapter-dropout-on-experts"}
    errors(python, tmp_path, "--fix", "--unsafe-fixes")
    assert run_of(tmp_path)["lora_dropout"] == 0.0
    assert sampled(python, tmp_path, "learn")["error"] is None


STRANGER = {"config.json": {"architectures": ["Olmo2ForCausalLM"], "model_type": "olmo2"}}


@pytest.mark.slow
def test_a_type_of_model_that_peft_does_not_know(tmp_path: Path, interpreter: Interpreter) -> None:
    python = interpreter("grpo-shapes")
    candidate(tmp_path, ADAPTER, STRANGER)
    assert ran(python, "-c", WEIGHTS, cwd=tmp_path).returncode == 0
    before = sampled(python, tmp_path, "learn")["error"]
    assert "Please specify `target_modules`" in before
    assert errors(python, tmp_path) == {"adapter-without-target-modules"}
    candidate(tmp_path / "named", {**ADAPTER, KEY: ["q_proj", "v_proj"]}, STRANGER)
    assert ran(python, "-c", WEIGHTS, cwd=tmp_path / "named").returncode == 0
    after = sampled(python, tmp_path / "named", "learn")
    assert (after["error"], after.get("adapted")) == (None, ["q_proj", "v_proj"])
    assert errors(python, tmp_path / "named") == set()
