"""Loops of a script that freeze no weight of the model."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from trl_doctor.probes.rehearsal.trainers.frozen import in_vain

NAMES = ("model.embed_tokens.weight", "model.layers.0.mlp.weight", "lm_head.weight")


class Model:
    """The weights of a model of texts."""

    def __init__(self) -> None:
        self.weights = {name: SimpleNamespace(requires_grad=True) for name in NAMES}

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        return iter(self.weights.items())

    def parameters(self) -> Iterator[Any]:
        return iter(self.weights.values())

    def named_modules(self) -> Iterator[tuple[str, Any]]:
        return iter(())


def test_a_loop_that_matches_no_name() -> None:
    model = Model()
    for name, weight in model.named_parameters():
        if "transformer.wte" in name:
            weight.requires_grad = False
    _, line = in_vain({"model": model})
    assert line is not None and line[0] == __file__


def test_a_loop_for_the_parts_of_models_that_see_is_for_other_models() -> None:
    model = Model()
    for name, weight in model.named_parameters():
        if "visual" in name or "vision_tower" in name:
            weight.requires_grad = False
    assert in_vain({"model": model}) == ("", None)
