"""What a library makes when it is first asked, such as tables: made before the forks, for all."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

LOOKS_AT_ALL = "type(config) in cls._model_mapping.keys()"
"""How transformers before 4.57 looks for the class of a model: all their configs are imported."""


def make_tables() -> None:
    """Those of transformers, vLLM and rehearsals, where they are imported.

    Each probe that loads or saves a model needs them, and would take a quarter of its time; each
    engine writes its log, and changes all loggers for this.
    """
    with contextlib.suppress(Exception):
        _patterns()
    with contextlib.suppress(Exception):
        _configs()
    with contextlib.suppress(Exception):
        _log()
    with contextlib.suppress(Exception):
        _libraries()


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


def _libraries() -> None:
    """Which modules are no script's: a rehearsal then looks at the new ones only."""
    where: Any = sys.modules[f"{__package__}.rehearsal.where"]
    where.own_modules()


def _log() -> None:
    """The log of vLLM as its engines want it where nothing else is said."""
    logger: Any = sys.modules["vllm.logger"]
    logger.configure_logging_if_needed(sys.modules["vllm.config.logging"].LoggingConfig())
