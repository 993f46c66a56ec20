"""Which layers of a model a shallow copy has: at least one of every kind, and two in all."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
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
"""Things that every n-th layer has; a config has `_period` and `_offset` of each."""

DEEPEST, WHOLE = 8, 64
"""Layers of a shallow copy, and of one that keeps all of its layers, at most."""

_all_layers = False


@contextlib.contextmanager
def whole_depth(wanted: bool) -> Iterator[None]:
    """While this lasts, copies keep all layers: a script names some of them by number."""
    global _all_layers
    before, _all_layers = _all_layers, wanted
    try:
        yield
    finally:
        _all_layers = before


def depth_of(values: dict[str, Any]) -> int:
    """The number of layers in a config; 0 if the config does not state it."""
    counts = (values.get(name) for name in COUNTS)
    return next((count for count in counts if type(count) is int and 0 < count <= 10_000), 0)


def layers_of(config: dict[str, Any]) -> int:
    """The number of layers that read texts in a whole config; 0 if it does not state it."""
    text = config.get("text_config")
    return depth_of(config) or depth_of(text if isinstance(text, dict) else {})


def kept_layers(values: dict[str, Any]) -> list[int]:
    """The numbers of the layers that a shallow copy of this config keeps."""
    depth = depth_of(values)
    if _all_layers and depth <= WHOLE:
        return list(range(depth))
    per_layer = [value for name, value in values.items() if _per_layer(name, value, depth)]
    numbers: list[int] = []
    for number in range(depth):
        if any(kinds[number] not in [kinds[k] for k in numbers] for kinds in per_layer):
            numbers.append(number)
    spare = [number for number in range(depth) if number not in numbers]
    numbers += spare[: max(0, max(2, _cycle(values, depth)) - len(numbers))]
    return sorted(numbers)[:DEEPEST]


def shallow(name: str, value: Any, depth: int, numbers: Sequence[int]) -> Any:
    """The value under a name in a copy with only the layers `numbers` of `depth`."""
    if _all_layers and len(numbers) == depth:
        return value
    if name in COUNTS and type(value) is int:
        return min(value, max(len(numbers), 2))
    if name in INDICES and isinstance(value, (list, tuple)):
        places = [place for place, number in enumerate(numbers) if number in value]
        return places or ([len(numbers) - 1] if value and numbers else [])
    if name == "per_layer_config" and isinstance(value, dict):
        by_number = {str(number): layer for number, layer in value.items()}
        return {
            place: by_number[str(number_)]
            for place, number_ in enumerate(numbers)
            if str(number_) in by_number
        }
    if name == "attention_types":
        return [[kinds, max(1, len(numbers) // len(kinds))] for kinds, _ in value[:1]]
    if _per_layer(name, value, depth):
        picked = [value[number] for number in numbers]
        return "".join(picked) if isinstance(value, str) else picked
    if name in [stem + "_period" for stem in PERIODS]:
        return min(value, 2)
    if name in [stem + "_offset" for stem in PERIODS]:
        return min(value, 1)
    return value


def _per_layer(name: str, value: Any, depth: int) -> bool:
    """Whether a value has one entry per layer."""
    listed = isinstance(value, (list, tuple)) and "token" not in name and name not in INDICES
    pattern = isinstance(value, str) and set(value) <= set("M-*E")
    return (listed or pattern) and depth > 2 and len(value) == depth


def _cycle(values: dict[str, Any], depth: int) -> int:
    """The number of layers that a short repeated pattern of kinds needs."""
    patterns = [
        len(pattern)
        for name, pattern in values.items()
        if "block_types" in name and isinstance(pattern, (list, tuple)) and len(pattern) < depth
    ]
    steps = values.get("sliding_window_pattern")
    if type(steps) is int and not values.get("layer_types"):
        patterns.append(steps)
    return max([count for count in patterns if count <= DEEPEST], default=0)
