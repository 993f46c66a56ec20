"""How vLLM looks at the class of a model."""

from __future__ import annotations

import sys
from typing import Any


def look_here() -> None:
    """Let it look in this process, not in one of several seconds that imports vLLM anew.

    It starts that process only so that nothing touches CUDA here: this is for the CPU.
    """
    registry: Any = sys.modules.get("vllm.model_executor.models.registry")
    if hasattr(registry, "_run_in_subprocess"):
        registry._run_in_subprocess = lambda look: look()
