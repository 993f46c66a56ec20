"""Cases of `benchmarks/fit.py` drawn by a seed from what a user can write into a run file."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fit_cases import MODELS, STEMS, lora, request

MORE: dict[str, dict[str, Any]] = {
    "gpt2": {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_embd": 128,
             "n_layer": 7, "n_head": 4, "n_positions": 2048, "n_inner": 352,
             "tie_word_embeddings": True, "resid_pdrop": 0.0, "embd_pdrop": 0.0,
             "attn_pdrop": 0.0},
    "gemma2": {"architectures": ["Gemma2ForCausalLM"], "model_type": "gemma2", "head_dim": 32,
               "sliding_window": 64, "query_pre_attn_scalar": 32},
    "olmo2": {"architectures": ["Olmo2ForCausalLM"], "model_type": "olmo2"},
    "granite": {"architectures": ["GraniteForCausalLM"], "model_type": "granite"},
    "cohere": {"architectures": ["CohereForCausalLM"], "model_type": "cohere"},
    "stablelm": {"architectures": ["StableLmForCausalLM"], "model_type": "stablelm"},
    "starcoder2": {"architectures": ["Starcoder2ForCausalLM"], "model_type": "starcoder2"},
    "smollm3": {"architectures": ["SmolLM3ForCausalLM"], "model_type": "smollm3"},
    "mixtral": {"architectures": ["MixtralForCausalLM"], "model_type": "mixtral",
                "num_local_experts": 4, "num_experts_per_tok": 2},
    "gpt_oss": {"architectures": ["GptOssForCausalLM"], "model_type": "gpt_oss", "head_dim": 32,
                "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 64},
    "deepseek_v3": {"architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3",
                    "q_lora_rank": 64, "kv_lora_rank": 32, "qk_rope_head_dim": 16,
                    "qk_nope_head_dim": 32, "v_head_dim": 32, "n_routed_experts": 8, "n_group": 2,
                    "topk_group": 1, "num_experts_per_tok": 2, "moe_intermediate_size": 64,
                    "first_k_dense_replace": 2, "num_key_value_heads": 4},
}  # fmt: skip
"""Architectures that the fixed cases do not have."""

NEW: dict[str, dict[str, Any]] = {
    "dots1": {"architectures": ["Dots1ForCausalLM"], "model_type": "dots1",
              "moe_intermediate_size": 64, "n_routed_experts": 8, "n_shared_experts": 1,
              "num_experts_per_tok": 2, "first_k_dense_replace": 1, "sliding_window": 64,
              "max_window_layers": 4},
    "hyperclovax": {"architectures": ["HyperCLOVAXForCausalLM"], "model_type": "hyperclovax",
                    "attention_multiplier": 0.2},
    "nemotron_h": {"architectures": ["NemotronHForCausalLM"], "model_type": "nemotron_h",
                   "layers_block_type": ["mamba", "moe", "mamba", "attention"] * 3 + ["mamba"],
                   "head_dim": 32, "ssm_state_size": 16, "mamba_num_heads": 8,
                   "mamba_head_dim": 32, "n_groups": 2, "chunk_size": 32, "n_routed_experts": 8,
                   "moe_intermediate_size": 64, "moe_shared_expert_intermediate_size": 64},
    "granite_swa": {"architectures": ["GraniteSWAForCausalLM"], "model_type": "granite_swa",
                    "sliding_window": 64},
    "gpt_neo": {"architectures": ["GPTNeoForCausalLM"], "model_type": "gpt_neo", "num_layers": 7,
                "num_heads": 4, "window_size": 64, "embed_dropout": 0.0,
                "attention_types": [[["global", "local"], 3], [["global"], 1]]},
}  # fmt: skip
"""Drawn by a seed (heron) from transformers' causal models, without encoders, copies of Llama and
two models of several kinds of input. GPT-Neo was repaired after its first run (docs/fit.md)."""

LOSSES: dict[str, tuple[dict[str, Any], ...]] = {
    "sft": ({}, {"loss_type": "dft"}, {"packing": True}, {"padding_free": False}),
    "dpo": (
        {},
        {"loss_type": "ipo"},
        {"loss_type": "robust", "label_smoothing": 0.1},
        {"loss_type": ["sigmoid", "sft"], "loss_weights": [1.0, 0.5]},
        {"precompute_ref_log_probs": True},
        {"loss_type": "apo_zero"},
    ),
    "kto": ({}, {"loss_type": "apo_zero_unpaired"}, {"precompute_ref_log_probs": True}),
    "grpo": (
        {},
        {"beta": 0.04},
        {"loss_type": "dr_grpo"},
        {"loss_type": "grpo", "beta": 0.1},
        {"num_iterations": 2},
        {"top_entropy_quantile": 0.2},
        {"loss_type": "cispo"},
        {"importance_sampling_level": "sequence", "loss_type": "grpo"},
        {"cast_lm_head_to_fp32": True},
        {"entropy_coef": 0.01},
    ),
    "rloo": ({}, {"beta": 0.0}, {"num_iterations": 2}, {"normalize_advantages": True}),
    "reward": ({}, {"center_rewards_coefficient": 0.01}),
    "ppo": ({}, {"kl_coef": 0.1}),
}
"""What changes the loss of a trainer, and with it what the step holds."""

OPTIMIZERS = ("", "", "adamw_torch", "adamw_torch_fused", "sgd", "adafactor")


def drawn_cases(
    folder: Path, count: int, seed: str, ppo: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """So many cases of a seed; PPO only for an interpreter that has it."""
    chance = random.Random(seed)
    trainers = [name for name in STEMS if (name == "ppo") == ppo]
    models = {**MODELS, **MORE}
    for number in range(count):
        model, trainer = chance.choice(list(models)), chance.choice(trainers)
        arguments = _arguments(chance, model, trainer)
        if model == "granite" and trainer == "reward":
            continue  # transformers has no class for it
        if model in ("qwen3_moe", "mixtral", "deepseek_v3") and arguments.get("use_peft"):
            arguments["lora_dropout"] = 0.0  # PEFT has none for experts
        text = " ".join(f"{name}={value}" for name, value in arguments.items())
        yield (
            f"{number} {trainer} {model} {text}",
            request(folder, model, trainer, config=models[model], **arguments),
        )


def new_cases(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every new architecture with all weights trained and with an adapter, in 32 and 16 bits."""
    for name, config in NEW.items():
        for trainer in ("sft", "grpo"):
            for half in (False, True):
                for adapter in (False, True):
                    arguments: dict[str, Any] = {"dtype": "bfloat16"} if half else {}
                    arguments["bf16"] = half
                    if adapter:
                        arguments |= lora(trainer) | {"lora_target_modules": "all-linear"}
                        arguments["lora_dropout"] = 0.0  # PEFT has none for experts
                    kind = f"{'bf16' if half else 'fp32'} {'LoRA' if adapter else 'all'}"
                    checkpointing = half == adapter
                    arguments["gradient_checkpointing"] = checkpointing
                    yield (
                        f"{trainer} {name} {kind}{' checkpointing' * checkpointing}",
                        request(folder, name, trainer, config=config, **arguments),
                    )
        deep = request(folder, f"{name}-deep", "sft", config={**config, **_deep(config)})
        yield f"sft {name}, 24 layers", {**deep, "whole": True}


def _deep(config: dict[str, Any]) -> dict[str, Any]:
    """The sizes of a model with 24 layers."""
    if "layers_block_type" in config:
        return {"layers_block_type": ["mamba", "moe", "mamba", "attention"] * 6}
    if "num_layers" in config:
        return {
            "num_layers": 24,
            "num_hidden_layers": 24,
            "attention_types": [[["global", "local"], 12]],
        }
    return {"num_hidden_layers": 24}


def _arguments(chance: random.Random, model: str, trainer: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {"gradient_checkpointing": chance.random() < 0.5}
    arguments["bf16"] = chance.random() < 0.6
    if chance.random() < 0.3:
        arguments["dtype"] = "bfloat16"
    if trainer != "ppo" and chance.random() < 0.4:
        arguments |= lora(trainer) | {"lora_r": chance.choice((4, 16, 64))}
        if model not in ("llama", "qwen2", "mistral", "gemma3") or chance.random() < 0.5:
            arguments["lora_target_modules"] = "all-linear"
    batch = chance.choice((2, 4, 6))
    arguments["per_device_train_batch_size"] = batch
    arguments["gradient_accumulation_steps"] = chance.choice((1, 1, 2, 3))
    if trainer in ("sft", "dpo", "kto", "reward"):
        arguments["max_length"] = chance.choice((64, 200, 500))
    elif trainer != "ppo":
        arguments["max_completion_length"] = chance.choice((32, 100, 180))
    if optimizer := chance.choice(OPTIMIZERS):
        arguments["optim"] = optimizer
    return arguments | chance.choice(LOSSES[trainer])
