"""One real step of the same trainer on a healthy model: what fails here is not the candidate's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import step
from .answers.step import StepAnswer
from .small_model.healthy import control


def answer(request: dict[str, Any]) -> StepAnswer:
    """The answer of `step` for a candidate without a fault, with the trainer's own defaults."""
    candidate = control(Path("control").absolute())
    if request["trainer"]["name"] == "reward":
        candidate["folders"]["policy"] = candidate["folders"]["reward"]
    data = {"files": [], "conversational": True}
    arguments = {"eval_strategy": "epoch"}
    return step.answer({**request, **candidate, "arguments": arguments, "data": data})
