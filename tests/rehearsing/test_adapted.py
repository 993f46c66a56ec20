"""Loaded adapters that another one replaces, and those that were used or kept."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.models import adapted
from trl_doctor.probes.rehearsal.models.adapted import Adapted


class Sum(float):
    """The weights of a layer, of which only the sum counts."""

    detach = float = abs = sum = lambda self: self


class Base:
    """A model with one layer, whose adapters have these weights."""

    def __init__(self, **weights: int) -> None:
        matrices = {name: SimpleNamespace(weight=Sum(value)) for name, value in weights.items()}
        self.layer = SimpleNamespace(lora_B=matrices, active_adapters=["new"])

    def named_modules(self) -> list[tuple[str, Any]]:
        return [("q_proj", self.layer)]


@pytest.mark.parametrize(
    ("weights", "read", "told"),
    [
        ({"new": 0}, False, ["loaded adapter replaced"]),
        ({"new": 0}, True, []),
        ({"new": 0, "first": 3}, False, []),
    ],
)
def test_a_loaded_adapter_is_replaced(
    monkeypatch: pytest.MonkeyPatch, weights: dict[str, int], read: bool, told: list[str]
) -> None:
    found: list[str] = []
    record: Any = SimpleNamespace(mistake=lambda mistake: found.append(mistake.what))
    watch, base, model = Adapted(record), Base(**weights), SimpleNamespace()
    watch._owners, watch._unused = [(model, base, "new")], {id(base)}
    monkeypatch.setattr(adapted, "called_by_user", lambda through: read)
    watch._read(model)
    watch._compare(base, {"q_proj": 3.0})
    assert found == told
