"""The dropout that a model has."""

from __future__ import annotations

from typing import Any


def dropout_of(model: Any) -> dict[str, float]:
    """The probabilities of dropout above zero: of the config, which models use without a module,
    and of modules.
    """
    figures: dict[str, float] = {}
    for name, value in model.config.to_dict().items():
        if "drop" in name and type(value) is float and value > 0:
            figures[name] = value
    for name, module in model.named_modules():
        if type(module).__name__.startswith("Dropout") and module.p > 0:
            part = "lora_dropout" if ".lora_dropout." in name else name.rpartition(".")[2]
            figures[part] = float(module.p)
    return figures
