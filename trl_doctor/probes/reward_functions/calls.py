"""Calls one reward function as the trainer does, and takes what it gives as the trainer does."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import inspect
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from .release import Release
from .rows import MADE, Case

OWN = {"prompt", "completion", "completion_ids"}
"""Columns that the trainer keeps to itself."""


class TookTooLong(BaseException):
    """The time is up. No `except Exception` of the function's can catch it."""


class Sheet(NamedTuple):
    """What every call has in common: the rows, how this release calls, ids from a text.

    `own` are rows of the run's, with all their columns; others get what a function asks for. `end`
    is the id that ends an answer, which `ids` leaves out. `tools` are the names of what a model can
    call, and `before` the turns of a completion before its text.
    """

    rows: Sequence[dict[str, Any]]
    own: bool
    release: Release
    conversational: bool
    ids: Callable[[str], list[int]]
    end: int | None = None
    tools: Sequence[str] = ()
    before: Sequence[dict[str, Any]] = ()

    def keywords(self, function: Callable[..., Any], cases: Sequence[Case]) -> dict[str, Any]:
        """The keyword arguments of one call."""
        from transformers import TrainerState

        rows = [copied(self.rows[case.row]) for case in cases]
        offered: dict[str, Any] = {
            "prompts": [row["prompt"] for row in rows],
            "completions": [self.completion(case.text) for case in cases],
            "completion_ids": [self.ids(case.text) for case in cases],
            "trainer_state": TrainerState(),
            "log_extra": lambda column, values: None,
            "log_metric": lambda name, value: None,
        }
        columns = {key: [row[key] for row in rows] for key in rows[0] if key not in OWN}
        arguments = {
            **columns,
            **{key: offered[key] for key in self.release.passes if key in offered},
        }
        if not self.own:
            arguments.update(
                {key: [MADE] * len(cases) for key in misfit(function, arguments)["missing"]}
            )
        return arguments

    def completion(self, text: str) -> Any:
        """A text as the trainer passes it on."""
        turn = {"role": "assistant", "content": text}
        return [*copied(list(self.before)), turn] if self.conversational else text


def copied(value: Any) -> Any:
    """A deep copy: of what rows are made of, in a tenth of the time of `copy.deepcopy`."""
    kind = type(value)
    if kind is dict:
        return {key: copied(part) for key, part in value.items()}
    if kind is list:
        return [copied(part) for part in value]
    return value if kind in (str, int, float, bool, type(None)) else copy.deepcopy(value)


class Rewards(NamedTuple):
    """What a call gave: the values as the trainer takes them, and how many were returned.

    `returned` is None for a single number, `none` are the indices of None, `seconds` those that
    the function took.
    """

    values: list[float]
    returned: int | None
    none: list[int]
    seconds: float


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raises `TookTooLong` if the body takes more: by the clock, or of the processor."""

    def stop(*_: Any) -> None:
        raise TookTooLong

    # a function that sets alarms of its own ends the first timer; a regular expression that
    # backtracks for ever still runs into the second
    pairs = ((signal.SIGALRM, signal.ITIMER_REAL), (signal.SIGPROF, signal.ITIMER_PROF))
    try:
        for number, timer in pairs:
            signal.signal(number, stop)
            signal.setitimer(timer, seconds)
        yield
    finally:
        for number, timer in pairs:
            signal.setitimer(timer, 0)
            signal.signal(number, signal.SIG_DFL)


def called(function: Callable[..., Any], cases: Sequence[Case], sheet: Sheet) -> Rewards:
    """Call it once. Raises whatever it, or the trainer on its rewards, raises."""
    import torch

    keywords = sheet.keywords(function, cases)
    start = time.perf_counter()
    output = function(**keywords)
    if sheet.release.awaits and inspect.isawaitable(output):
        output = asyncio.run(_awaited(output))
    seconds = time.perf_counter() - start
    none: list[int] = []
    returned = None
    if sheet.release.none_is_nan or hasattr(output, "__iter__"):
        output = list(output)
        returned, none = len(output), [at for at, reward in enumerate(output) if reward is None]
    if sheet.release.none_is_nan:
        output = [torch.nan if reward is None else reward for reward in output]
    rewards = torch.tensor(output, dtype=torch.float32)
    tensor = torch.zeros(len(cases))
    if returned in (None, 1, len(cases)):
        tensor[:] = rewards
    return Rewards(tensor.tolist(), returned, none, seconds)


def rewards_of(
    function: Callable[..., Any], texts: Sequence[str], sheet: Sheet, row: int = 0
) -> list[float]:
    """The rewards of these completions of a row; none if the call fails, or gives fewer or more."""
    try:
        call = called(function, [Case(row, "", text) for text in texts], sheet)
    except Exception:
        return []
    return call.values if call.returned == len(texts) else []


async def _awaited(output: Any) -> Any:
    return await output


def misfit(function: Callable[..., Any], keywords: dict[str, Any]) -> dict[str, list[str]]:
    """The arguments that it does not take (`unexpected`), and those it lacks (`missing`)."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {"unexpected": [], "missing": []}
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    by_name = {
        parameter.name: parameter
        for parameter in parameters
        if parameter.kind is not parameter.POSITIONAL_ONLY
    }
    required_names = [
        parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    ]
    return {
        "unexpected": [] if takes_all else [key for key in keywords if key not in by_name],
        "missing": [name for name in required_names if name not in keywords],
    }
