"""Answers of the real vLLM engine."""

from dataclasses import replace
from typing import Any

from trl_doctor.facts.rule import Answers
from trl_doctor.probes.answers.engine import EngineAnswer
from trl_doctor.probes.answers.engine_sampling import Distances, Factor, Stop

from .libraries import IMPORTS
from .runs import recorded

WELL = recorded("vllm", "engine", EngineAnswer)
assert WELL.step and WELL.sync and WELL.sampling and WELL.stops
STEP = WELL.step
SYNC, SAMPLING, STOPS, PLAIN = WELL.sync, WELL.sampling, WELL.stops, WELL.sampling.run_arguments
"""What the engine answered of a healthy run, part by part."""


def answers(**changed: Any) -> Answers:
    """The answers of a real engine to a healthy run, with these parts otherwise."""
    return {**IMPORTS, "engine": replace(WELL, **changed)}


def stopped(id: int, token: str, *why: str, **changed: Any) -> Stop:
    """The answer about one token at which the engine stops, with these keys otherwise."""
    return replace(STOPS[0], id=id, token=token, why=why, **changed)


def distances(mean: float, most: float, middle: float) -> Distances:
    """The answer about log-probabilities that are so far apart."""
    return Distances(
        tokens=442,
        factor=Factor(mean, most),
        ratio=1 / mean,
        quantiles={"0.5": middle, "0.9": 2 * middle, "0.99": 4 * middle},
        precision="bfloat16",
    )
