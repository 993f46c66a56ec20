"""The names of sizes in configs, and the sizes of a small model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol


def names(text: str) -> frozenset[str]:
    """The names in a text, between spaces."""
    return frozenset(text.split())


WIDTHS = names(
    "hidden_size d_model n_embd dim emb_dim embed_dim embedding_dim embedding_size "
    "word_embed_proj_dim attention_hidden_size lru_width mamba_d_ssm "
    "mamba_intermediate_size input_embedding_size output_embedding_size "
)
"""Hidden sizes, and sizes with a fixed ratio to them."""

JOINTS = names(
    "out_hidden_size backbone_hidden_size hidden_size_global vision_output_dim "
    "adapter_out_dim projector_input_dim projector_output_dim projection_dim "
)
"""Where one part's output enters another: always the common width."""

INNER = names(
    "intermediate_size moe_intermediate_size shared_expert_intermediate_size "
    "moe_shared_expert_intermediate_size shared_experts_intermediate_size "
    "shared_intermediate_size dense_intermediate_size intermediate_size_mlp "
    "ffn_hidden_size expert_ffn_hidden_size ffn_dim encoder_ffn_dim decoder_ffn_dim "
    "n_inner dff dim_ff d_ff d_inner feed_forward_size mlp_dim router_hidden_size "
)

HEADS = names(
    "num_attention_heads n_head n_heads num_heads attention_heads decoder_attention_heads "
    "encoder_attention_heads num_encoder_attention_heads num_decoder_attention_heads "
    "num_attention_heads_per_layer index_n_heads swa_num_attention_heads mamba_n_heads "
    "mamba_num_heads n_mamba_heads linear_num_heads linear_num_key_heads "
    "linear_num_value_heads "
)

COUNTED = ("num_attention_heads", "n_head", "num_heads", "n_heads")
"""The names of the count of attention's heads."""

KEY_VALUE_HEADS = names(
    "num_key_value_heads num_kv_heads n_head_kv kv_n_heads num_query_groups "
    "swa_num_key_value_heads "
)

HEAD_SIZES: Mapping[str, tuple[str, ...]] = {
    "head_dim": ("num_attention_heads", "num_heads", "n_heads"),
    "attention_head_dim": ("num_attention_heads",),
    "attention_head_size": ("num_attention_heads",),
    "dim_head": ("num_attention_heads",),
    "d_head": ("n_head",),
    "d_kv": ("num_heads",),
    "kv_channels": (),
    "swa_head_dim": ("swa_num_attention_heads",),
    "mamba_d_head": ("mamba_n_heads",),
    "mamba_head_dim": ("mamba_num_heads",),
    "mamba_headdim": ("n_mamba_heads",),
    "linear_head_dim": (),
    "linear_key_head_dim": (),
    "linear_value_head_dim": (),
    "qk_rope_head_dim": (),
    "qk_nope_head_dim": (),
    "v_head_dim": (),
    "index_head_dim": (),
    "global_head_dim": (),
}
"""Sizes of one head, and for each the names of the count of heads."""

RANKS = names(
    "q_lora_rank kv_lora_rank o_lora_rank gated_norm_rank laurel_rank hc_lowrank "
    "adapter_rank time_step_rank mamba_dt_rank dt_rank rotary_dim state_size "
    "mamba_d_state ssm_state_size hidden_size_per_layer_input d_rel "
)

AT_MOST: Mapping[str, int] = {
    **dict.fromkeys(names("num_experts n_routed_experts num_local_experts moe_num_experts "), 4),
    **dict.fromkeys(
        names(
            "num_experts_per_tok num_experts_per_token moe_topk moe_top_k moe_k "
            "top_k_experts n_group num_expert_group mamba_n_groups n_groups mamba_ngroups "
            "zero_expert_num "
        ),
        2,
    ),
    **dict.fromkeys(
        names(
            "topk_group n_shared_experts num_shared_experts moe_num_shared_experts "
            "first_k_dense_replace num_dense_layers moe_layer_start_index "
            "max_window_layers "
        ),
        1,
    ),
    **dict.fromkeys(names("num_kv_shared_layers num_nextn_predict_layers "), 0),
    **dict.fromkeys(
        names(
            "sliding_window attention_chunk_size attention_window_size "
            "local_attention_window_len sliding_window_size "
        ),
        32,
    ),
}

WIDTH, HEAD_COUNT, HEAD_SIZE, INNER_SIZE, RANK = 64, 2, 32, 64, 16


class Plan(Protocol):
    """How far sizes are cut."""

    def value(self, name: str, size: int, sizes: Mapping[str, Any]) -> int:
        """What a small model has for the size `now`; `sizes` are all of the same config."""


@dataclass(frozen=True)
class Narrow:
    """Everything small: width 64, two heads of 32."""

    def value(self, name: str, size: int, sizes: Mapping[str, Any]) -> int:
        """What a small model has for the size `now`; `sizes` are all of the same config."""
        if name in WIDTHS:
            return _multiple(WIDTH * Fraction(size, _width(sizes) or size))
        if name in JOINTS:
            return WIDTH
        if name in INNER:
            return INNER_SIZE
        if name in HEADS:
            return HEAD_COUNT
        if name in KEY_VALUE_HEADS:
            return HEAD_COUNT if size == _first(sizes, HEAD_SIZES["head_dim"], size) else 1
        if name in HEAD_SIZES:
            return _head_size(name, size, sizes)
        if name == "qk_head_dim":
            return 2 * HEAD_SIZE
        return min(size, RANK) if name in RANKS else size


@dataclass(frozen=True)
class Proportional:
    """Widths and counts of heads are divided by the same number; the heads keep their size."""

    def value(self, name: str, size: int, sizes: Mapping[str, Any]) -> int:
        """What a small model has for the size `now`; `sizes` are all of the same config."""
        by = max(1, _first(sizes, COUNTED, 1) // 4)
        if name in WIDTHS or name in HEADS or name in KEY_VALUE_HEADS:
            return max(1, size // by)
        return INNER_SIZE if name in INNER else size


@dataclass(frozen=True)
class Shallow:
    """Only what is inside a layer is small."""

    def value(self, name: str, size: int, sizes: Mapping[str, Any]) -> int:
        """What a small model has for the size `now`; `sizes` are all of the same config."""
        return INNER_SIZE if name in INNER else size


PLANS: tuple[Plan, ...] = (Narrow(), Proportional(), Shallow())
"""The smallest model first; the later ones keep more of what belongs together."""


def _head_size(name: str, full_size: int, sizes: Mapping[str, Any]) -> int:
    """Heads keep their ratio to the width where it comes out even, as in expanded mamba states."""
    heads, width = _first(sizes, HEAD_SIZES[name], 0), _width(sizes)
    ratio = Fraction(full_size * heads, width) if heads and width else Fraction(1)
    size = HEAD_SIZE * ratio
    return int(size) if size.denominator == 1 and 4 <= size <= 4 * HEAD_SIZE else HEAD_SIZE


def _width(sizes: Mapping[str, Any]) -> int:
    return _first(sizes, ("hidden_size", "d_model", "n_embd"), 0)


def _first(sizes: Mapping[str, Any], names: tuple[str, ...], default: int) -> int:
    """The first positive number under one of these names."""
    values = (sizes.get(name) for name in names)
    return next((value for value in values if type(value) is int and value > 0), default)


def _multiple(size: Fraction) -> int:
    return max(16, round(size / 16) * 16)
