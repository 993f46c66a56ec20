"""Cuts a model down to few layers of every kind, and counts how many of each it had."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Kind = str
"""A layer's class, the shapes of its parameters and how it attends, as text."""

NUMBERS = ("layer_idx", "layer_id")
"""The attributes in which modules keep the number of their layer, by which they find its cache."""


@dataclass
class Cut:
    """Which layers the models of one trace keep: `extra` is a kind of which one more is kept.

    `whole` keeps all. `depths` and `kept` count the layers of each kind, before and after, by the
    sizes of the model: models alike in depth and kinds are counted once.
    """

    extra: Kind = ""
    whole: bool = False
    depths: dict[Kind, int] = field(default_factory=dict)
    kept: dict[Kind, int] = field(default_factory=dict)

    def cut(self, model: Any) -> None:
        """Take layers out of a model. Nothing happens if it has no list of layers."""
        owner, name = _layers(model)
        if owner is None:
            return
        layers = list(getattr(owner, name))
        kinds = [f"{len(layers)} layers: {_kind(layer)}" for layer in layers]
        chosen = self._chosen(kinds)
        for kind in dict.fromkeys(kinds):
            self.depths[kind] = kinds.count(kind)
            self.kept[kind] = sum(kinds[place] == kind for place in chosen)
        if len(chosen) < len(layers):
            _keep(model, owner, name, chosen)

    def _chosen(self, kinds: list[Kind]) -> list[int]:
        if self.whole:
            return list(range(len(kinds)))
        least = 2 if len(set(kinds)) == 1 else 1
        chosen: list[int] = []
        for kind in dict.fromkeys(kinds):
            places = [place for place, layer_kind in enumerate(kinds) if layer_kind == kind]
            chosen += places[: least + (kind == self.extra)]
        return sorted(chosen)


def _layers(model: Any) -> tuple[Any, str]:
    """The module that holds the list of the text model's layers, and the list's name in it."""
    import torch

    config = model.config.get_text_config() if hasattr(model.config, "get_text_config") else None
    depth = getattr(config or model.config, "num_hidden_layers", 0)
    best: tuple[Any, str] = (None, "")
    most = 0
    for owner in model.modules():
        for name, child in owner.named_children():
            if isinstance(child, torch.nn.ModuleList) and len(child) == depth and depth > 1:
                size = sum(weight.numel() for weight in child.parameters())
                if size > most:
                    best, most = (owner, name), size
    return best


def _kind(layer: Any) -> Kind:
    shapes = [
        f"{name}{tuple(parameter.shape)}{parameter.dtype}"
        for name, parameter in layer.named_parameters()
    ]
    attends = {
        str(value)
        for module in layer.modules()
        for name, value in vars(module).items()
        if name in ("is_sliding", "sliding_window", "attention_type", "layer_type")
    }
    return " ".join([type(layer).__name__, *shapes, *sorted(attends)])


def _keep(model: Any, owner: Any, name: str, chosen: list[int]) -> None:
    import torch

    layers = getattr(owner, name)
    depth = len(layers)
    setattr(owner, name, torch.nn.ModuleList([layers[place] for place in chosen]))
    for place, layer_number in enumerate(chosen):
        for module in layers[layer_number].modules():
            for number in NUMBERS:
                if isinstance(getattr(module, number, None), int):
                    setattr(module, number, place)
    configs = {id(part): part for part in _configs(model)}
    for config in configs.values():
        if getattr(config, "num_hidden_layers", None) == depth:
            for key, value in list(vars(config).items()):
                if isinstance(value, (list, tuple)) and len(value) == depth and depth > 2:
                    setattr(config, key, [value[place] for place in chosen])
            config.num_hidden_layers = len(chosen)


def _configs(model: Any) -> list[Any]:
    """The config of the model and of every part of it that has its own."""
    configs = [getattr(module, "config", None) for module in model.modules()]
    text = model.config.get_text_config() if hasattr(model.config, "get_text_config") else None
    return [config for config in [model.config, text, *configs] if config is not None]
