"""The cases of `benchmarks/fit.py`: models, arguments, and requests of the probe `fit`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TOKENIZER = ROOT / "fixtures/models/healthy"
STEMS = {"grpo": "GRPO", "rloo": "RLOO", "ppo": "PPO", "sft": "SFT", "dpo": "DPO", "kto": "KTO",
         "reward": "Reward"}  # fmt: skip
SMALL = {
    "vocab_size": 2048, "hidden_size": 128, "intermediate_size": 352, "num_hidden_layers": 7,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 2048,
    "tie_word_embeddings": False, "eos_token_id": 298, "pad_token_id": 299, "bos_token_id": 297,
    "torch_dtype": "bfloat16",
}  # fmt: skip
SIZES = ("vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers",
         "num_attention_heads", "num_key_value_heads")  # fmt: skip
TIED = {"tie_word_embeddings": True}
LLAMA = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}
QWEN2 = {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2"}
QWEN3 = {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "head_dim": 128}
MISTRAL = {"architectures": ["MistralForCausalLM"], "model_type": "mistral"}
GEMMA3 = {"architectures": ["Gemma3ForCausalLM"], "model_type": "gemma3_text", "head_dim": 256,
          "sliding_window": 512, "sliding_window_pattern": 6}  # fmt: skip
QWEN3_MOE = {"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "head_dim": 128,
             "num_experts": 128, "num_experts_per_tok": 8,
             "moe_intermediate_size": 768}  # fmt: skip
MODELS: dict[str, dict[str, Any]] = {
    "llama": {"architectures": ["LlamaForCausalLM"], "model_type": "llama"},
    "qwen2": {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2",
              "tie_word_embeddings": True},
    "qwen3": {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "head_dim": 32},
    "mistral": {"architectures": ["MistralForCausalLM"], "model_type": "mistral"},
    "phi3": {"architectures": ["Phi3ForCausalLM"], "model_type": "phi3"},
    "gemma3": {"architectures": ["Gemma3ForCausalLM"], "model_type": "gemma3_text",
               "head_dim": 32, "sliding_window": 64, "sliding_window_pattern": 3},
    "qwen3_moe": {"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe",
                  "head_dim": 32, "num_experts": 8, "num_experts_per_tok": 2,
                  "moe_intermediate_size": 64, "mlp_only_layers": [0]},
    "gpt_neox": {"architectures": ["GPTNeoXForCausalLM"], "model_type": "gpt_neox"},
}  # fmt: skip
PUBLISHED: dict[str, dict[str, Any]] = {
    name: {**family, **dict(zip(SIZES, sizes, strict=True)), **more}
    for name, family, sizes, more in (
        ("Qwen2.5-0.5B", QWEN2, (151936, 896, 4864, 24, 14, 2), TIED),
        ("Llama-3.2-1B", LLAMA, (128256, 2048, 8192, 16, 32, 8), TIED),
        ("Qwen2.5-1.5B", QWEN2, (151936, 1536, 8960, 28, 12, 2), TIED),
        ("gemma-3-1b", GEMMA3, (262144, 1152, 6912, 26, 4, 1), TIED),
        ("Qwen3-4B", QWEN3, (151936, 2560, 9728, 36, 32, 8), TIED),
        ("Mistral-7B", MISTRAL, (32768, 4096, 14336, 32, 32, 8), {}),
        ("Qwen2.5-7B", QWEN2, (152064, 3584, 18944, 28, 28, 4), {}),
        ("Llama-3.1-8B", LLAMA, (128256, 4096, 14336, 32, 32, 8), {}),
        ("Qwen3-30B-A3B", QWEN3_MOE, (151936, 2048, 6144, 48, 32, 4), {}),
        ("Llama-3.1-405B", LLAMA, (128256, 16384, 53248, 126, 128, 8), {}),
    )
}
"""The sizes in the published config.json of each model."""

PPO = "trl.experimental.ppo"
LORA = {"use_peft": True, "lora_r": 8, "lora_target_modules": ["q_proj", "v_proj"]}


def lora(trainer: str) -> dict[str, Any]:
    """An adapter; the reward trainer needs its kind."""
    return {**LORA, "lora_task_type": "SEQ_CLS"} if trainer == "reward" else LORA


def real_cases(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The cases that are run with data: every trainer, every architecture, every variant."""
    for model in MODELS:
        yield f"sft {model}", request(folder, model, "sft")
        yield (
            f"grpo {model} checkpointing",
            request(folder, model, "grpo", gradient_checkpointing=True),
        )
    for trainer in STEMS:
        for on in (False, True):
            kind = "checkpointing" if on else "no checkpointing"
            yield (
                f"{trainer} llama bf16 {kind}",
                request(folder, "llama", trainer, gradient_checkpointing=on),
            )
        yield (
            f"{trainer} llama fp32",
            request(folder, "llama", trainer, gradient_checkpointing=False, bf16=False),
        )
        if trainer != "ppo":
            yield (
                f"{trainer} llama LoRA",
                request(folder, "llama", trainer, gradient_checkpointing=True, **lora(trainer)),
            )
    yield "grpo llama beta", request(folder, "llama", "grpo", beta=0.04)
    yield "sft llama accumulation", request(folder, "llama", "sft", gradient_accumulation_steps=2)
    yield "sft llama bf16 weights", request(folder, "llama", "sft", dtype="bfloat16")


def depth_cases(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The cases whose layers are all traced."""
    for model in MODELS:
        for trainer in ("sft", "grpo"):
            deep = request(folder, model, trainer, layers=24)
            yield f"{trainer} {model}, 24 layers", {**deep, "whole": True}


def request(
    folder: Path,
    model: str,
    trainer: str,
    layers: int = 0,
    config: dict[str, Any] | None = None,
    **arguments: Any,
) -> dict[str, Any]:
    """A request of the probe `fit`."""
    path = folder / f"{model}-{layers}"
    if not path.exists():
        path.mkdir()
        config = {**SMALL, **(config or MODELS[model])}
        if layers:
            config["num_hidden_layers"] = layers
        (path / "config.json").write_text(json.dumps(config), "utf-8")
        for name in ("tokenizer.json", "tokenizer_config.json"):
            (path / name).write_bytes((TOKENIZER / name).read_bytes())
    stem, own = STEMS[trainer], str(path)
    sizes = {"max_length": 256} if trainer in ("sft", "dpo", "kto", "reward") else {}
    if trainer in ("grpo", "rloo"):
        sizes = {"max_completion_length": 96, "num_generations": 2}
    if trainer == "ppo":
        sizes = {"response_length": 96}
    return {
        "trainer": {"name": trainer, "class": f"{stem}Trainer", "config": f"{stem}Config",
                    "module": PPO if trainer == "ppo" else "trl"},
        "arguments": {"bf16": True, "per_device_train_batch_size": 4, **sizes, **arguments},
        "folders": {"policy": own, "reference": own if trainer in ("dpo", "kto", "ppo") else None,
                    "reward": own if trainer == "ppo" else None, "value": None, "tokenizer": None},
        "written": {}, "data": {"files": [], "conversational": None}, "roots": [],
        "ends": {"turn_end": 298, "eos": 298}, "device": "cpu", "level": "tiny", "seconds": 300,
        "trust_remote_code": False, "like": "cpu",
    }  # fmt: skip
