"""A model's config with small sizes and few layers, and everything else as it was."""

from __future__ import annotations

from typing import Any

from .depth import depth_of, kept_layers, shallow
from .sizes import AT_MOST, HEAD_SIZES, Plan

KEPT = (
    "vocab_size", "max_position_embeddings", "id2label", "label2id", "auto_map", "per_layer_config"
)  # fmt: skip
"""What no plan changes, nor looks into."""

OFF = ("use_mamba_kernels",)
"""Options that want a GPU."""

SECTIONS = ("mrope_section",)
"""Lists of numbers that add up to a share of the head."""

FACTORS = ("short_factor", "long_factor")
"""Lists with an entry for a share of the head."""


def smaller(values: dict[str, Any], plan: Plan, above: dict[str, Any] | None = None) -> Any:
    """The values of a config, `to_dict()`, cut down by a plan; parts of it likewise.

    `above` are the values of the config that these are a part of.
    """
    outer = above or {}
    sizes = {**outer, **values}
    depth, layers = depth_of(values), kept_layers(values)
    return {
        name: _value(name, shallow(name, value, depth, layers), plan, sizes)
        for name, value in values.items()
    }


def _value(name: str, value: Any, plan: Plan, sizes: dict[str, Any]) -> Any:
    if name in OFF:
        return False
    if name in KEPT or isinstance(value, (bool, str, float)) or value is None:
        return value
    if isinstance(value, dict):
        inner = smaller(value, plan, None if "model_type" in value else sizes)
        return inner if "model_type" in value else _rope(inner, plan, sizes)
    if isinstance(value, (list, tuple)):
        are_sizes = all(type(item) is int and item > 0 for item in value)
        return [plan.value(name, item, sizes) for item in value] if are_sizes else list(value)
    if type(value) is not int or value <= 0:
        return value
    return min(plan.value(name, value, sizes), AT_MOST.get(name, value))


def _rope(rope: dict[str, Any], plan: Plan, sizes: dict[str, Any]) -> dict[str, Any]:
    """Lists of rotary positions fitted to the size of the smaller head."""
    before = _head(sizes)
    after = plan.value("head_dim", before, {**sizes, "head_dim": before}) if before else before
    for name in FACTORS:
        if isinstance(rope.get(name), list) and before != after:
            rope[name] = rope[name][: len(rope[name]) * after // before]
    for name in SECTIONS:
        if isinstance(rope.get(name), list) and before != after:
            rope[name] = _shares(rope[name], after, before)
    return rope


def _shares(sections: list[int], after: int, before: int) -> list[int]:
    small = [section * after // before for section in sections]
    return [small[0] + sum(sections) * after // before - sum(small), *small[1:]]


def _head(sizes: dict[str, Any]) -> int:
    """The size of one head; 0 if the config does not state it."""
    stated = sizes.get("head_dim")
    if type(stated) is int and stated > 0:
        return stated
    width = sizes.get("hidden_size") or sizes.get("n_embd")
    heads = [sizes.get(name) for name in HEAD_SIZES["head_dim"]]
    count = next((count_ for count_ in heads if type(count_) is int and count_ > 0), 0)
    return width // count if type(width) is int and count else 0
