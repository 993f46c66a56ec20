"""What a rehearsed process or a live trainer holds, as JSON."""

from __future__ import annotations

import enum
from pathlib import Path

from trl_doctor.probes.rehearsal.record import as_json


class Optimizer(enum.StrEnum):
    """As transformers names optimizers: a text whose `str` is not its value."""

    FUSED = "adamw_torch_fused"

    def __str__(self) -> str:
        return "Optimizer.FUSED"


def test_enumerations_are_recorded_by_their_values() -> None:
    assert as_json({"optim": Optimizer.FUSED, "n": [1, None, Path("a")]}) == {
        "optim": "adamw_torch_fused", "n": [1, None, "a"],
    }  # fmt: skip
    assert as_json(object()) == {"type": "object"}
