"""What the real vLLM engine does with this run: one engine, started once, asked everything."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from .answers.engine import EngineAnswer, EngineModel, EngineStart
from .child import line, told
from .refusal import Refused
from .vllm_engine.logprobs import compared
from .vllm_engine.model import training_model
from .vllm_engine.start import Broken, Engine, NotStarted, started, versions
from .vllm_engine.step import stepped
from .vllm_engine.stops import stops
from .vllm_engine.sync import pushed, synced

T = TypeVar("T")


def answer(request: dict[str, Any]) -> EngineAnswer:
    """One real step, then sync, log-probabilities and stops, with the seconds that each took."""
    try:
        engine = started(request)
    except NotStarted as failed:
        return EngineAnswer(EngineStart(failed.why))
    tiny = engine.tiny
    model = EngineModel(
        tiny.architecture, tiny.layers, tiny.hidden, tiny.parameters, tiny.vocabulary
    )
    base = EngineAnswer(EngineStart(), versions(), engine.backend, model)
    return questions(request, engine, base)


def questions(request: dict[str, Any], engine: Engine, base: EngineAnswer) -> EngineAnswer:
    """The answer with everything that the one engine is asked."""
    seconds = dict(engine.seconds)
    try:
        base = replace(base, step=timed(seconds, "step", lambda: stepped(request, engine)))
        if engine.generation.llm.llm_engine.has_unfinished_requests():
            raise Broken("it has left requests of the step unanswered")
        sync = timed(seconds, "sync", lambda: synced(request, engine))
        base = replace(base, sync=sync)
        if sync.error:
            engine.generation.model = training_model(request, engine.tiny)
        if not sync.error or not pushed(engine).error:
            sampling = timed(seconds, "logprobs", lambda: compared(request, engine))
            base = replace(base, sampling=sampling)
            base = replace(base, stops=timed(seconds, "stops", lambda: stops(request, engine)))
    except Broken as how:
        base = replace(base, broken=str(how))
    except Refused:
        raise
    except Exception as error:
        about = told(error)
        if about.contained or about.memory or about.disk:
            raise
        base = replace(base, broken=line(error))
    return replace(base, seconds={name: round(value, 3) for name, value in seconds.items()})


def timed(seconds: dict[str, float], name: str, question: Callable[[], T]) -> T:
    """The answer to a question; how long it took is put into `seconds`."""
    begin = time.perf_counter()
    found = question()
    seconds[name] = time.perf_counter() - begin
    return found
