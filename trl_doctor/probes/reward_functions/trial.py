"""One reward function on trial: imported, called, and what came back."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from ..alone import place as reward_place
from ..answers.rewards import RewardTrial
from . import gold_sizes, of_other_rows, series, whole_calls
from .calls import Sheet, called, misfit
from .held_back import error_of, held, held_by
from .hidden_errors import hidden_mistake
from .padded import of_padding
from .pays_if import pays_if
from .release import Broken, registry
from .rows import Case
from .script_parts import Incomplete
from .source import reads, takes, where
from .supervised import Report
from .texts_of_a_call import of_texts

SLOW = "took too long"
PATIENCE = 5.0
"""Seconds that completions which hold no right answer may take."""


class Reporting(Protocol):
    """The receiver of a trial's progress: its process may be ended meanwhile."""

    def doing(self, stage: str, unless: dict[str, Any]) -> None:
        """It begins a stage."""


class Trial(NamedTuple):
    """What every function is tried on: `batch` completions a call.

    `trainer` is its name. `sheet` is None if it is open whether completions are messages or
    texts. `more` are completions that a function is tried on which is quick. `opened` is the tag
    that the prompts end with.
    """

    trainer: str
    sheet: Sheet | None
    cases: Sequence[Case]
    gold: str | None
    batch: int
    more: Sequence[Case] = ()
    opened: str = ""


def judged(name: str, trial: Trial, report: Report) -> dict[str, Any]:
    """What became of one function, a `RewardTrial` as a dict: it comes from another process.

    The stages are "importing", "calling", "blaming" and "exploiting".
    """
    report.doing("importing", unreported(name))
    return _sent(_judged(name, trial, report))


def unreported(name: str) -> dict[str, Any]:
    """The state of a function before anything is known of it."""
    return _sent(RewardTrial(name, SLOW, importing=True))


def _sent(trial: RewardTrial) -> dict[str, Any]:
    return dataclasses.asdict(trial)


def _judged(name: str, trial: Trial, report: Report) -> RewardTrial:
    functions = registry(trial.trainer)
    if "." not in name and (functions is None or name not in functions):
        names = None if functions is None else tuple(sorted(functions))
        return RewardTrial(name, "unknown name", known=names)
    try:
        function = functions[name] if functions and name in functions else _imported(name)
        if isinstance(function, Broken):
            raise function.error
    except BaseException as error:
        apart = reward_place.held(error) or isinstance(error, Incomplete)
        state = "held back" if apart else "not imported"
        return RewardTrial(name, state, error=error_of(error))
    about = described(function, name, *where(function), trial.gold, trial.sheet)
    if trial.sheet is None:
        return about
    keywords = trial.sheet.keywords(function, trial.cases[:1])
    unfit = misfit(function, keywords)
    about = dataclasses.replace(
        about, unexpected=tuple(unfit["unexpected"]), missing=tuple(unfit["missing"])
    )
    return scored(function, trial.sheet, trial, report, about)


def _imported(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def described(
    function: Callable[..., Any],
    name: str,
    file: str,
    line: int,
    gold: str | None,
    sheet: Sheet | None,
) -> RewardTrial:
    """A function that was not called yet: what its code shows."""
    columns = [] if gold or not sheet else [key for key in sheet.rows[0] if key != "prompt"]
    about = RewardTrial(name, "not called", file, line, reads_gold=reads(function, gold))
    return dataclasses.replace(
        about,
        takes=takes(function, columns),
        punishes=series.punishes(function),
        by_place=whole_calls.by_place(function),
    )


def scored(
    function: Callable[..., Any], sheet: Sheet, trial: Trial, report: Reporting, about: RewardTrial
) -> RewardTrial:
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
            slow = dataclasses.replace(about, state=SLOW, done=len(values), given=size)
            report.doing("calling", _sent(slow))
            call = called(function, filled[start : start + size], sheet)
            none += [start + at for at in call.none]
            values += call.values
            counts.append(call.returned)
            quickest = min(quickest, call.seconds / size)
    except BaseException as error:
        if len(reward_place.reached) > refused:
            return held(about)
        if (apart := held_by(error, about)) is not None:
            return apart
        raised = dataclasses.replace(about, state="raised", error=error_of(error))
        report.doing("blaming", _sent(raised))
        return dataclasses.replace(raised, on=tuple(_guilty(function, sheet, trial)))
    if len(reward_place.reached) > refused:
        return held(about)
    result = dataclasses.replace(
        about,
        state="returned",
        expected=size,
        returned=next((count for count in counts if count != size), size),
        values=tuple((case.row, case.kind, value) for case, value in zip(tried, values)),
        none=sum(at < len(tried) for at in none),
        seconds=quickest,
    )
    report.doing("exploiting", _sent(result))
    return _tried_more(function, sheet, trial, result)


def _tried_more(
    function: Callable[..., Any], sheet: Sheet, trial: Trial, result: RewardTrial
) -> RewardTrial:
    if result.reads_gold and trial.gold and gold_sizes.is_size(function, sheet, trial.gold, result):
        result = dataclasses.replace(result, reads_gold=False)
    result = dataclasses.replace(result, exploits=_exploits(function, sheet, trial, result.seconds))
    if result.seconds >= PATIENCE / 100:
        return result
    first = of_other_rows.of_first_row(function, sheet, trial.cases)
    compares = of_other_rows.compares(function, sheet, trial.cases)
    return dataclasses.replace(
        result,
        of_length=series.of_length(function, sheet),
        of_repetition=series.of_repetition(function, sheet),
        of_variety=series.of_variety(function, sheet, trial.gold),
        **({} if compares else of_texts(function, sheet, trial, result.seconds)),
        of_first_row=first,
        of_place=not first and of_other_rows.of_place(function, sheet, trial.cases),
        of_padding=of_padding(function, sheet, trial.cases),
        out_of_order=of_other_rows.out_of_order(function, sheet, trial.cases),
        of_earlier=of_other_rows.of_earlier(function, sheet, trial.cases),
        of_call=whole_calls.of_call(function, sheet, trial.cases),
        of_text=not first and of_other_rows.of_text(function, sheet, trial.cases),
        pays_if=pays_if(function, sheet, trial.cases, trial.gold),
        hides=hidden_mistake(function, sheet, trial.cases),
    )


def _exploits(
    function: Callable[..., Any], sheet: Sheet, trial: Trial, seconds: float
) -> tuple[tuple[int, str, float], ...]:
    """What it gives to the completions of `more`; where it raises, nothing.

    Nor if it compares completions: none of these is beside a right one.
    """
    paid: list[tuple[int, str, float]] = []
    if seconds * len(trial.more) > PATIENCE:
        return ()
    if trial.more and of_other_rows.compares(function, sheet, trial.cases):
        return ()
    for start in range(0, len(trial.more), trial.batch):
        tried = list(trial.more[start : start + trial.batch])
        filled = (tried * trial.batch)[: trial.batch]
        try:
            values = called(function, filled, sheet).values
        except BaseException:
            continue
        paid += [(case.row, case.kind, value) for case, value in zip(tried, values)]
    return tuple(paid)


def _guilty(function: Callable[..., Any], sheet: Sheet, trial: Trial) -> list[str]:
    """The kinds of completions on which it raises when called with one alone."""
    trials = []
    for case in trial.cases:
        try:
            called(function, [case], sheet)
        except BaseException:
            trials.append(case.kind)
    return [] if len(trials) == len(trial.cases) else list(dict.fromkeys(trials))
