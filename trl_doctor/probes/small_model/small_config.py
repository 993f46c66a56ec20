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
    depth, kept = depth_of(values), kept_layers(values)
    return {
        name: _value(name, shallow(name, value, depth, kept), plan, sizes)
        for name, value in values.items()
    }


def _value(name: str, value: Any, plan: Plan, sizes: dict[str, Any]) -> Any:
    if name in OFF:
        return False
    if name in KEPT or isinstance(value, (bool, str, float)) or value is None:
        return value
    if isinstance(value, dict):
        part = smaller(value, plan, None if "model_type" in value else sizes)
        return part if "model_type" in value else _rope(part, plan, sizes)
    if isinstance(value, (list, tuple)):
        whole = all(type(one) is int and one > 0 for one in value)
        return [plan.value(name, one, sizes) for one in value] if whole else list(value)
    if type(value) is not int or value <= 0:
        return value
    return min(plan.value(name, value, sizes), AT_MOST.get(name, value))


def _rope(part: dict[str, Any], plan: Plan, sizes: dict[str, Any]) -> dict[str, Any]:
    """Lists of rotary positions fitted to the size of the smaller head."""
    before = _head(sizes)
    after = plan.value("head_dim", before, {**sizes, "head_dim": before}) if before else before
    for name in FACTORS:
        if isinstance(part.get(name), list) and before != after:
            part[name] = part[name][: len(part[name]) * after // before]
    for name in SECTIONS:
        if isinstance(part.get(name), list) and before != after:
            part[name] = _shares(part[name], after, before)
    return part


def _shares(sections: list[int], after: int, before: int) -> list[int]:
    small = [one * after // before for one in sections]
    return [small[0] + sum(sections) * after // before - sum(small), *small[1:]]


def _head(sizes: dict[str, Any]) -> int:
    """The size of one head; 0 where the config does not tell."""
    told = sizes.get("head_dim")
    if type(told) is int and told > 0:
        return told
    width = sizes.get("hidden_size") or sizes.get("n_embd")
    heads = [sizes.get(name) for name in HEAD_SIZES["head_dim"]]
    count = next((one for one in heads if type(one) is int and one > 0), 0)
    return width // count if type(width) is int and count else 0
