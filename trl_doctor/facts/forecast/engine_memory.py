"""The memory of a vLLM engine in the training processes: weights, cache, and what sleep frees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.forecast.guesses import ASLEEP, WORKING
from trl_doctor.facts.forecast.hardware import Hardware
from trl_doctor.facts.vllm.engine import engine, value
from trl_doctor.facts.vllm.kv_cache import kv_cache

if TYPE_CHECKING:
    from trl_doctor.probes.answers.fit import FitAnswer

SHARE = "vllm_gpu_memory_utilization"


class EngineMemory(Struct, frozen=True):
    """Bytes on each GPU while the engine works and while it sleeps; its weights and its cache.

    `requests` is how many of the run's longest completions the cache can hold at the same time.
    """

    share: float
    awake: int
    asleep: int
    weights: int
    cache: int
    requests: float

    @property
    def sleeps(self) -> bool:
        """Whether it frees its memory while the model is trained."""
        return self.asleep != self.awake


def engine_memory(
    facts: Facts, arguments: Mapping[str, Json], gpus: Hardware, answer: FitAnswer
) -> EngineMemory | None:
    """The colocated engine of a run with these arguments; None if it has none."""
    try:
        run_engine = engine(facts)
    except NotConcerned:
        return None
    if run_engine.mode != "colocate":
        return None
    stated = arguments.get(SHARE)
    share = stated if isinstance(stated, int | float) else value(facts, run_engine, SHARE)
    share = float(share) if isinstance(share, int | float) else 0.3
    awake = int(share * gpus.card.memory)
    sleeps = arguments.get("vllm_enable_sleep_mode") is True
    weights = 2 * answer.sizes.parameters // gpus.tensor_parallel
    cache = max(0, awake - weights - int(WORKING.usual))
    cache_sizes = facts.at(facts.run.policy)[kv_cache]
    per_request = cache_sizes.bytes(_tokens(answer), gpus.tensor_parallel)
    return EngineMemory(
        share,
        awake,
        int(ASLEEP.usual) if sleeps else awake,
        weights,
        cache,
        cache / per_request if per_request else 0.0,
    )


def _tokens(answer: FitAnswer) -> int:
    """The tokens of a prompt together with its completion."""
    lengths = [shape[-1] for shape in answer.calls.get("forward", []) if shape]
    return max(lengths, default=1)
