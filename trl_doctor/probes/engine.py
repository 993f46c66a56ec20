"""What the real vLLM engine does with this run: one engine, started once, asked everything."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from .answers.engine import EngineAnswer, EngineModel, EngineStart, EngineStep
from .child import error_answer, line
from .refusal import Refused
from .small_model.shrink import Tiny
from .vllm_engine.logprobs import compare_logprobs
from .vllm_engine.model import training_model
from .vllm_engine.start import Broken, Engine, NotBuilt, NotStarted, start_engine, versions
from .vllm_engine.step import take_step
from .vllm_engine.stops import stops
from .vllm_engine.sync import push_weights, sync_weights

T = TypeVar("T")

LEARN_FROM_RATIOS = ("grpo", "rloo")
"""Trainers whose loss has the ratio of the trainer's probabilities and the engine's."""


def answer(request: dict[str, Any]) -> EngineAnswer:
    """One real step, then sync, log-probabilities and stops, with the seconds that each took."""
    try:
        engine = start_engine(request)
    except NotStarted as failed:
        return EngineAnswer(EngineStart(failed.why))
    except NotBuilt as failed:
        changed = failed.laid.arguments.changed
        base = EngineAnswer(EngineStart(), versions(), failed.backend, of_model(failed.laid.tiny))
        step = EngineStep(failed.why, False, changed, {}, (), 0, 0, 0, None, {})
        return replace(base, step=step, broken=f"{failed.why.type}: {failed.why.message:.200}")
    base = EngineAnswer(EngineStart(), versions(), engine.backend, of_model(engine.tiny))
    return questions(request, engine, base)


def of_model(tiny: Tiny) -> EngineModel:
    """The description of the small model."""
    return EngineModel(
        tiny.architecture, tiny.layers, tiny.hidden, tiny.parameters, tiny.vocabulary
    )


def questions(request: dict[str, Any], engine: Engine, base: EngineAnswer) -> EngineAnswer:
    """The answer with everything that the one engine is asked."""
    seconds = dict(engine.seconds)
    try:
        base = replace(base, step=timed(seconds, "step", lambda: take_step(request, engine)))
        if engine.llm.llm_engine.has_unfinished_requests():
            raise Broken("it has left requests of the step unanswered")
        if engine.generation is None:
            name = type(engine.trainer).__name__
            base = replace(base, not_asked_because=f"of {name}'s engine only the step is examined")
            return replace(base, seconds=rounded(seconds))
        sync = timed(seconds, "sync", lambda: sync_weights(request, engine))
        base = replace(base, sync=sync)
        if sync.error:
            engine.generation.model = training_model(request, engine.tiny)
        if not sync.error or not push_weights(engine).error:
            if request["trainer"]["name"] in LEARN_FROM_RATIOS:
                sampling = timed(seconds, "logprobs", lambda: compare_logprobs(request, engine))
                base = replace(base, sampling=sampling)
            else:
                why = "this trainer's loss does not read the engine's log-probabilities"
                base = replace(base, not_asked_because=why)
            base = replace(base, stops=timed(seconds, "stops", lambda: stops(request, engine)))
    except Broken as how:
        base = replace(base, broken=str(how))
    except Refused:
        raise
    except Exception as error:
        about = error_answer(error)
        if about.contained or about.memory or about.disk:
            raise
        base = replace(base, broken=line(error))
    return replace(base, seconds=rounded(seconds))


def rounded(seconds: dict[str, float]) -> dict[str, float]:
    """Seconds to the millisecond."""
    return {name: round(value, 3) for name, value in seconds.items()}


def timed(seconds: dict[str, float], name: str, question: Callable[[], T]) -> T:
    """The answer to a question; how long it took is put into `seconds`."""
    begin = time.perf_counter()
    result = question()
    seconds[name] = time.perf_counter() - begin
    return result
