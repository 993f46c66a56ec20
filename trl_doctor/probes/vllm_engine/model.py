"""The small model as the trainer of a run loads it."""

from __future__ import annotations

from typing import Any

from ..layout.arguments import parsed
from ..small_model.shrink import Tiny

DTYPES = ("bfloat16", "float16", "float32")


def training_model(request: dict[str, Any], tiny: Tiny) -> Any:
    """The shrunken model as the trainer loads it: in the run's dtype, float32 unless it says."""
    import torch

    arguments = request["arguments"]
    options = {**arguments, **parsed(arguments.get("model_init_kwargs"))}
    name = options.get("dtype") or options.get("torch_dtype")
    dtype = "auto" if name == "auto" else getattr(torch, name if name in DTYPES else "float32")
    return tiny.loaded(bool(request["trust_remote_code"]), dtype).to(request["device"])
