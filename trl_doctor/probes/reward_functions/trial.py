"""One reward function on trial: imported, called, and what came back."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..child import told
from . import place as reward_place
from .calls import Sheet, called, misfit
from .release import registry
from .rows import Case
from .supervised import Report

SLOW = "took too long"
PROBES = str(Path(__file__).parents[1])


class Trial(NamedTuple):
    """What every function is tried on: `batch` completions a call.

    `trainer` is its name. `sheet` is None where it is open whether completions are messages or
    texts.
    """

    trainer: str
    sheet: Sheet | None
    cases: Sequence[Case]
    gold: str | None
    batch: int


def judged(name: str, trial: Trial, report: Report) -> dict[str, Any]:
    """What became of one function. The stages are "importing", "calling" and "blaming"."""
    report.doing("importing", unheard(name))
    known = registry(trial.trainer)
    if "." not in name and (known is None or name not in known):
        return {"name": name, "state": "unknown name", "known": known and sorted(known)}
    try:
        function = known[name] if known and name in known else _imported(name)
    except BaseException as error:
        state = "held back" if reward_place.held(error) else "not imported"
        return {"name": name, "state": state, "error": _told(error)}
    about = {"name": name, **_where(function), "reads_gold": _reads(function, trial.gold)}
    if trial.sheet is None:
        return {**about, "state": "not called"}
    keywords = trial.sheet.keywords(function, trial.cases[:1])
    about.update(misfit(function, keywords))
    return {**about, **_scored(function, trial.sheet, trial, report, about)}


def unheard(name: str) -> dict[str, Any]:
    """What holds of a function before anything is heard of it."""
    return {"name": name, "state": SLOW, "importing": True}


def _imported(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def _scored(
    function: Callable[..., Any], sheet: Sheet, trial: Trial, report: Report, about: dict[str, Any]
) -> dict[str, Any]:
    """The values by kind of completion, or what kept it from giving them."""
    tried, size = list(trial.cases), trial.batch
    calls = -(-len(tried) // size)
    filled = (tried * (size // len(tried) + 2))[: calls * size]
    values: list[float] = []
    none: list[int] = []
    counts: list[int | None] = []
    quickest = float("inf")
    refused = len(reward_place.reached)
    try:
        for start in range(0, len(filled), size):
            slow = {**about, "state": SLOW, "done": len(values), "given": size}
            report.doing("calling", slow)
            one = called(function, filled[start : start + size], sheet)
            none += [start + at for at in one.none]
            values += one.values
            counts.append(one.returned)
            quickest = min(quickest, one.seconds / size)
    except BaseException as error:
        if len(reward_place.reached) > refused:
            return {"state": "held back", "reason": reward_place.reached[-1]}
        if reward_place.held(error):
            return {"state": "held back", "error": _told(error)}
        raised = {"state": "raised", "error": _told(error), "on": []}
        report.doing("blaming", {**about, **raised})
        return {**raised, "on": _guilty(function, sheet, trial)}
    if len(reward_place.reached) > refused:
        return {"state": "held back", "reason": reward_place.reached[-1]}
    wrong = next((one for one in counts if one != size), size)
    return {
        "state": "returned",
        "expected": size,
        "returned": wrong,
        "values": [[case.row, case.kind, value] for case, value in zip(tried, values)],
        "none": sum(at < len(tried) for at in none),
        "seconds": quickest,
    }


def _guilty(function: Callable[..., Any], sheet: Sheet, trial: Trial) -> list[str]:
    """The kinds of completions on which it raises when called with one alone."""
    found = []
    for case in trial.cases:
        try:
            called(function, [case], sheet)
        except BaseException:
            found.append(case.kind)
    return [] if len(found) == len(trial.cases) else list(dict.fromkeys(found))


def _told(error: BaseException) -> dict[str, Any]:
    """The error, with the module that it lacks, and without the probe's own calls."""
    about = dataclasses.asdict(told(error))
    return {
        **about,
        "frames": [one for one in about["frames"] if not one[0].startswith((PROBES, "<frozen"))],
        "lacks": getattr(error, "name", None) if isinstance(error, ImportError) else None,
        "import": isinstance(error, ImportError),
    }


def _bare(function: Any) -> Any:
    """The code behind a partial, a decorator or an object that can be called."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function) if callable(function) else function
    return function if hasattr(function, "__code__") else vars(type(function)).get("__call__")


def _where(function: Any) -> dict[str, Any]:
    code = getattr(_bare(function), "__code__", None)
    if code is None:
        return {"file": "", "line": 0}
    return {"file": code.co_filename, "line": code.co_firstlineno}


def _reads(function: Any, gold: str | None) -> bool:
    """Whether it names the column of the gold answer: as a parameter, or as a key."""
    code = getattr(_bare(function), "__code__", None)
    return code is not None and bool(gold in (*code.co_varnames, *code.co_consts))
