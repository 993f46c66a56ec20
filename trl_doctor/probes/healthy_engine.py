"""One real step with the engine on a healthy model: what fails here is not the candidate's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import engine
from .answers.engine import EngineAnswer
from .small_model.healthy import control


def answer(request: dict[str, Any]) -> EngineAnswer:
    """The answer of `engine` for a candidate without a fault, with the trainer's own defaults."""
    candidate = control(Path("control").absolute())
    data = {"files": [], "conversational": True}
    arguments = {"use_vllm": True}
    return engine.answer({**request, **candidate, "arguments": arguments, "data": data})
