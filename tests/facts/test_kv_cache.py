"""The keys and values that an engine keeps of each token, from config.json."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.asking.oracle import NoOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.vllm.kv_cache import KvCache, kv_cache
from trl_doctor.files.target import target
from trl_doctor.machine.environment import environment
from trl_doctor.testing import laid_out

QWEN = {
    "model_type": "qwen2", "num_hidden_layers": 28, "num_attention_heads": 28,
    "num_key_value_heads": 4, "hidden_size": 3584, "torch_dtype": "bfloat16",
    "max_position_embeddings": 32768,
}  # fmt: skip


def cache(config: dict[str, Any], **run: Any) -> KvCache:
    """The cache of a model of this config in this run."""
    files = {
        "run.json": {"trainer": "grpo", "model_name_or_path": "model", **run},
        "model/config.json": config,
    }
    with laid_out(files) as folder:
        world = environment(None)
        pointed = target(str(folder / "run.json"), offline=True)
        facts = Facts(open_run(pointed, world, Options(offline=True)), world, NoOracle("not now"))
        return facts[kv_cache]


def test_grouped_heads() -> None:
    result = cache(QWEN)
    assert result.bytes(1) == 2 * 28 * 4 * 128 * 2 == 57344
    assert result.longest == 32768 * 57344
    assert result.length_from == "max_position_embeddings in config.json"
    assert result.share is None


def test_the_runs_own_length_share_and_type() -> None:
    result = cache(
        QWEN,
        vllm_max_model_length=4096,
        vllm_gpu_memory_utilization=0.4,
        vllm_kv_cache_dtype="fp8",
    )
    assert (result.length, result.length_from) == (4096, "vllm_max_model_length")
    assert result.bytes(1) == 57344 // 2
    assert result.share == 0.4


@pytest.mark.parametrize(("gpus", "part"), [(1, 1), (2, 2), (4, 4), (8, 4)])
def test_heads_are_shared_out_as_far_as_there_are_any(gpus: int, part: int) -> None:
    result = cache(QWEN)
    assert result.bytes(100, gpus) == result.bytes(100) // part


def test_every_head_of_its_own_where_none_are_grouped() -> None:
    config = {"n_layer": 12, "n_head": 12, "n_embd": 768, "n_positions": 1024}
    assert cache(config).bytes(1) == 2 * 12 * 12 * 64 * 2


def test_latent_attention_keeps_one_vector() -> None:
    config = {**QWEN, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
    result = cache(config)
    assert result.bytes(1) == 28 * (512 + 64) * 2
    assert result.bytes(1, 8) == result.bytes(1)


def test_windows_and_linear_layers_keep_less() -> None:
    kinds = ["full_attention", *["sliding_attention"] * 5]
    config = {**QWEN, "num_hidden_layers": 6, "layer_types": kinds, "sliding_window": 512}
    result = cache(config)
    assert (result.full, result.windowed) == (1, 5)
    assert result.bytes(2000) == (2000 + 5 * 512) * 2 * 4 * 128 * 2
    linear = [*["linear_attention"] * 3, "full_attention"]
    assert cache({**QWEN, "num_hidden_layers": 4, "layer_types": linear}).layers == 1


def test_the_language_model_of_a_larger_one() -> None:
    result = cache({"model_type": "qwen2_vl", "text_config": QWEN})
    assert result.bytes(1) == 57344


@pytest.mark.parametrize("gone", ["num_hidden_layers", "hidden_size", "max_position_embeddings"])
def test_a_config_without_sizes_is_not_guessed(gone: str) -> None:
    config = {name: value for name, value in QWEN.items() if name != gone}
    with pytest.raises(Unavailable, match="say"):
        cache(config)
