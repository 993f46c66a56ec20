"""The memory of a vLLM engine in the training processes: weights, cache, what sleep gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.engine import engine, value
from trl_doctor.facts.forecast.hardware import Hardware
from trl_doctor.facts.kv_cache import kv_cache
from trl_doctor.probes.answers.fit import FitAnswer

GIB = 1024**3
ASLEEP, WORKING = 1 * GIB, 2 * GIB
"""What a sleeping engine keeps (CUDA graphs, buffers), and what a working one needs beside weights
and cache, at a guess."""

SHARE = "vllm_gpu_memory_utilization"


@dataclass(frozen=True)
class EngineMemory:
    """Bytes on each GPU: while the engine works and otherwise; of the first, weights and cache.

    `requests` is how many of the longest completions of the run the cache holds at once.
    """

    share: float
    awake: int
    asleep: int
    weights: int
    cache: int
    requests: float


def engine_memory(
    facts: Facts, given: Mapping[str, Json], there: Hardware, answer: FitAnswer
) -> EngineMemory | None:
    """The colocated engine of a run with these arguments; None where it has none."""
    try:
        found = engine(facts)
    except NotConcerned:
        return None
    if found.mode != "colocate":
        return None
    said = given.get(SHARE)
    share = said if isinstance(said, int | float) else value(facts, found, SHARE)
    share = float(share) if isinstance(share, int | float) else 0.3
    awake = int(share * there.card.memory)
    sleeps = given.get("vllm_enable_sleep_mode") is True
    weights = 2 * answer.sizes.parameters // there.tensor_parallel
    cache = max(0, awake - weights - WORKING)
    kept = facts.at(facts.run.policy)[kv_cache]
    one = kept.bytes(_tokens(answer), there.tensor_parallel)
    return EngineMemory(
        share, awake, ASLEEP if sleeps else awake, weights, cache, cache / one if one else 0.0
    )


def _tokens(answer: FitAnswer) -> int:
    """The tokens of a prompt with its completion."""
    lengths = [shape[-1] for shape in answer.calls.get("forward", []) if shape]
    return max(lengths, default=1)
