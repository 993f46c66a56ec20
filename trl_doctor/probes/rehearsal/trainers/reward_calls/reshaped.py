"""Says whether a reward function only accepts calls of the shape that its trainer makes.

It may divide completions into groups of one prompt, or count them. It cannot be tried on a few
completions of many prompts: what it raises there is not what the run raises.
"""

from __future__ import annotations

import contextlib
import functools
import io
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....reward_functions.calls import TookTooLong, within
from .. import configs
from .call import SECONDS, SLOW, Called

LARGEST = 128
"""The most completions of a call of the run that is tried."""
OF_CALL = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 1}
"""The arguments that say how many completions a call gets, with their defaults."""


def own_call(own: Mapping[str, Any]) -> int:
    """The completions of a call of the run's reward functions; 0 if they are too many."""
    rows, accumulated = (own.get(name, usual) for name, usual in OF_CALL.items())
    numbers = (rows, own.get("steps_per_generation") or accumulated)
    size = own.get("generation_batch_size") or functools.reduce(operator.mul, numbers)
    return size if isinstance(size, int) and size <= LARGEST else 0


def needs_own_shape(function: Callable[..., Any], given: Mapping[str, Any], batch: int) -> bool:
    """Whether it raises on completions that it has accepted, in calls of another shape.

    `given` are the arguments of a call of the trainer; `batch` completions are in a call of ours.
    """
    count = len(given.get("completions") or ())
    if not count:
        return False
    apart = [at for start in range(2) for at in range(start, count, 2)]
    shapes = ([0], [apart[at % count] for at in range(batch)])
    return any(_raises(function, _of(given, rows, count)) for rows in shapes)


def fails_at(function: Callable[..., Any], given: Mapping[str, Any], size: int) -> bool:
    """Whether it raises in a call of so many completions: those that it has accepted, repeated."""
    count = len(given.get("completions") or ())
    if not count or size <= count or size % count:
        return False
    if _raises(function, given):
        return False
    return _raises(function, _of(given, [at % count for at in range(size)], count, other=False))


def fails_at_own_size(trainer: Any, functions: Sequence[Called]) -> bool:
    """Whether a function raises in a call as large as those of the run, and not in ours."""
    size = own_call(configs.own_of(trainer.args))
    with contextlib.suppress(TookTooLong, Exception), within(SECONDS):
        return any(
            fails_at(called.function, called.given, size)
            for called in functions
            if called.cost <= SLOW
        )
    return False


def _of(
    given: Mapping[str, Any], rows: Sequence[int], count: int, *, other: bool = True
) -> dict[str, Any]:
    """The arguments of some completions, in this order; every second has another prompt."""
    chosen = {
        name: [value[at] for at in rows]
        if isinstance(value, list) and len(value) == count
        else value
        for name, value in given.items()
    }
    prompts = chosen.get("prompts") if other else None
    if isinstance(prompts, list):
        chosen["prompts"] = [
            _other(prompt) if at % 2 else prompt for at, prompt in enumerate(prompts)
        ]
    return chosen


def _other(prompt: Any) -> Any:
    """A prompt that is not the same."""
    if isinstance(prompt, str):
        return f"{prompt} "
    if isinstance(prompt, list) and prompt and isinstance(prompt[-1], dict):
        last = prompt[-1]
        return [*prompt[:-1], {**last, "content": _other(last.get("content", ""))}]
    return prompt


def _raises(function: Callable[..., Any], given: Mapping[str, Any]) -> bool:
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            function(**given)
    except Exception:
        return True
    return False
