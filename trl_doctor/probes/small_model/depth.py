"""Which layers of a model a shallow copy has: at least one of every kind, and two in all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

COUNTS = (
    "num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers", "encoder_layers",
    "num_decoder_layers", "num_encoder_layers", "num_blocks", "depth", "num_layers_per_stack",
)  # fmt: skip
"""The names of the number of layers."""

INDICES = (
    "moe_layers", "mlp_only_layers", "full_attn_idxs", "hybrid_layer_ids", "attn_layer_indices",
    "cross_attention_layers", "global_attn_indexes", "intermediate_layers_indices",
)  # fmt: skip
"""Lists of the numbers of layers that are special."""

PERIODS = ("attn_layer", "expert_layer")
"""What every so many layers have, told by `_period` and `_offset`."""

DEEPEST = 8


def depth_of(values: dict[str, Any]) -> int:
    """How many layers a config says; 0 where it does not."""
    found = (values.get(name) for name in COUNTS)
    return next((one for one in found if type(one) is int and 0 < one <= 10_000), 0)


def kept_layers(values: dict[str, Any]) -> list[int]:
    """The numbers of the layers that a shallow copy of this config keeps."""
    depth = depth_of(values)
    told = [one for name, one in values.items() if _per_layer(name, one, depth)]
    kept: list[int] = []
    for number in range(depth):
        if any(one[number] not in [one[k] for k in kept] for one in told):
            kept.append(number)
    spare = [number for number in range(depth) if number not in kept]
    kept += spare[: max(0, max(2, _cycle(values, depth)) - len(kept))]
    return sorted(kept)[:DEEPEST]


def shallow(name: str, value: Any, depth: int, kept: Sequence[int]) -> Any:
    """What a copy with only the `kept` layers of `depth` says under a name."""
    if name in COUNTS and type(value) is int:
        return min(value, max(len(kept), 2))
    if name in INDICES and isinstance(value, (list, tuple)):
        left = [place for place, number in enumerate(kept) if number in value]
        return left or ([len(kept) - 1] if value and kept else [])
    if name == "per_layer_config" and isinstance(value, dict):
        said = {str(number): one for number, one in value.items()}
        return {place: said[str(one)] for place, one in enumerate(kept) if str(one) in said}
    if name == "attention_types":
        return [[kinds, max(1, len(kept) // len(kinds))] for kinds, _ in value[:1]]
    if _per_layer(name, value, depth):
        picked = [value[number] for number in kept]
        return "".join(picked) if isinstance(value, str) else picked
    if name in [stem + "_period" for stem in PERIODS]:
        return min(value, 2)
    if name in [stem + "_offset" for stem in PERIODS]:
        return min(value, 1)
    return value


def _per_layer(name: str, value: Any, depth: int) -> bool:
    """Whether a value says one thing a layer."""
    listed = isinstance(value, (list, tuple)) and "token" not in name and name not in INDICES
    pattern = isinstance(value, str) and set(value) <= set("M-*E")
    return (listed or pattern) and depth > 2 and len(value) == depth


def _cycle(values: dict[str, Any], depth: int) -> int:
    """How many layers there must be where a short pattern of kinds repeats."""
    patterns = [
        len(one)
        for name, one in values.items()
        if "block_types" in name and isinstance(one, (list, tuple)) and len(one) < depth
    ]
    steps = values.get("sliding_window_pattern")
    if type(steps) is int and not values.get("layer_types"):
        patterns.append(steps)
    return max([count for count in patterns if count <= DEEPEST], default=0)
