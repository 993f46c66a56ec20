"""What the real vLLM engine does with this run: one engine, started once, asked everything."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from .vllm_engine.logprobs import compared
from .vllm_engine.model import training_model
from .vllm_engine.start import Broken, Engine, NotStarted, started, versions
from .vllm_engine.stops import stops
from .vllm_engine.sync import pushed, synced


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Start, sync, log-probabilities and stops, with the seconds that each of them took.

    `start` is {"error": None} or says at which stage, and for what cause, it failed; the other
    questions are then None. `sync`, `sampling` and `stops` are what their modules tell, None where
    the engine has no weights to answer with, or broke: `broken` says how.
    """
    try:
        engine = started(request)
    except NotStarted as failed:
        return {"start": {"error": failed.why}}
    return {
        "versions": versions(),
        "backend": engine.backend,
        "model": engine.tiny.sizes(),
        "start": {"error": None},
        **questions(request, engine),
    }


def questions(request: dict[str, Any], engine: Engine) -> dict[str, Any]:
    """Everything that the one engine is asked."""
    found: dict[str, Any] = {"sync": None, "sampling": None, "stops": None, "broken": ""}
    seconds = dict(engine.seconds)
    try:
        found["sync"] = timed(seconds, "sync", lambda: synced(request, engine))
        if found["sync"]["error"]:
            engine.generation.model = training_model(request, engine.tiny)
        if not found["sync"]["error"] or not pushed(engine)["error"]:
            found["sampling"] = timed(seconds, "logprobs", lambda: compared(request, engine))
            found["stops"] = timed(seconds, "stops", lambda: stops(request, engine))
    except Broken as how:
        found["broken"] = str(how)
    return {**found, "seconds": {name: round(value, 3) for name, value in seconds.items()}}


def timed(seconds: dict[str, float], name: str, question: Callable[[], Any]) -> Any:
    """The answer to a question; how long it took is put into `seconds`."""
    begin = time.perf_counter()
    found = question()
    seconds[name] = time.perf_counter() - begin
    return found
