"""Answers of the probe that takes steps at full size, for the examples of the rules about it."""

from collections.abc import Mapping
from typing import Any

from trl_doctor.core.question import Answer
from trl_doctor.core.sizes import GIB

from .candidate import CONFIG, RUN, TOKENIZER, candidate

TRAINED = candidate(RUN, TOKENIZER, CONFIG)


def steps(peak: int, held: tuple[int, ...] = ()) -> dict[str, Any]:
    """Three steps that held this many bytes at most, and these after each step."""
    weights = 2 * GIB
    return {
        "parts": {"weights": weights, "gradients": weights, "optimizer": 2 * weights},
        "peak": peak,
        "reserved": peak,
        "total": 24 * GIB,
        "device": "GPU of 24 GiB",
        "seconds_by_step": [9.0, 5.0, 5.0],
        "held_after_steps": held,
        "rows_from": "prompts.jsonl, the longest of 100 rows",
        "rows_there": 100,
        "epochs": 1.0,
        "generations": 8,
        "batch": 8,
    }


def answers(full: Mapping[str, Any] | Answer) -> dict[str, Mapping[str, Any] | Answer]:
    """What the probes answered."""
    return {"libraries": {"failed": {}}, "full": full}
