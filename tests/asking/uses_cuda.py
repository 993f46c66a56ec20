"""Uses CUDA, as far as the stand-in for torch has it."""

from __future__ import annotations

import importlib
from typing import Any


def answer(request: dict[str, Any]) -> dict[str, Any]:
    importlib.import_module("torch").cuda.use()
    return {"used": True}
