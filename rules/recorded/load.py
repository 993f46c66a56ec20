"""Answers of the probe that loads the files."""

from collections.abc import Mapping
from typing import Any

from .libraries import IMPORTS


def answers(**parts: Mapping[str, Any]) -> dict[str, Any]:
    """What the probes answered in an example: `tokenizer`, `models` by role, `adapter`."""
    return {**IMPORTS, "load": parts}
