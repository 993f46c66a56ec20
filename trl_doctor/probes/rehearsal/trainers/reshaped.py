"""Says whether a reward function only accepts calls of the shape that its trainer makes.

It may divide completions into groups of one prompt, or count them. It cannot be tried on a few
completions of many prompts: what it raises there is not what the run raises.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any


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


def _of(given: Mapping[str, Any], rows: Sequence[int], count: int) -> dict[str, Any]:
    """The arguments of some completions, in this order; every second has another prompt."""
    chosen = {
        name: [value[at] for at in rows]
        if isinstance(value, list) and len(value) == count
        else value
        for name, value in given.items()
    }
    prompts = chosen.get("prompts")
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
