"""Tables that a library makes when it is first asked: made before the forks, they are for all."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

LOOKS_AT_ALL = "type(config) in cls._model_mapping.keys()"
"""How transformers before 4.57 looks for the class of a model: all their configs are imported."""


def make_tables() -> None:
    """Those of transformers, where it is imported.

    Each probe that loads or saves a model needs them, and would take a quarter of its time.
    """
    with contextlib.suppress(Exception):
        _patterns()
    with contextlib.suppress(Exception):
        _configs()


def _patterns() -> None:
    """The patterns of transformers 5 for the names of weights."""
    conversions: Any = sys.modules["transformers.conversion_mapping"]
    conversions.get_checkpoint_conversion_mapping("")


def _configs() -> None:
    """The configs of all models that have a head for text or for a score."""
    auto: Any = sys.modules["transformers.models.auto.modeling_auto"]
    factory = Path(sys.modules["transformers.models.auto.auto_factory"].__file__ or "")
    if LOOKS_AT_ALL in factory.read_text("utf-8"):
        for loads in (auto.AutoModelForCausalLM, auto.AutoModelForSequenceClassification):
            loads._model_mapping.keys()
