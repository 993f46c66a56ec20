"""A length that a reward function names, and near which completions get the least."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isclose
from types import FunctionType, ModuleType
from typing import Any

from ..answers.rewards import LeastAt
from .calls import Sheet, rewards_of
from .own_patterns import own_values
from .rows import GARBAGE, Case
from .series import different_words
from .source import bare, codes, reads

SHORTEST, LONGEST = 8, 20_000
"""Lengths that are tried."""

PATIENCE = 0.05
"""Seconds that one call for each quarter may take together."""

MOST, SECONDS = 6, 1.5
"""Numbers of a function that are tried, and the time for all of them."""

QUARTERS = (*range(1, 12), 16)
"""The lengths of the completions, in quarters of the number."""

LEASTS = (4, 6, 8)
"""Where the least may be, in quarters of the number: of a cosine, of a sine, of half a cosine."""

WAY = 3
"""Quarters over which the reward has to fall before the least, and to rise after it."""

FAR = 1.5
"""A distance from the least is paid where the longest text gets so many times the short ones."""

ONE = "Let me see."
FORMS = 2
"""The reasoning of a right answer, and how many of these are tried."""


def least(
    function: Callable[..., Any], sheet: Sheet, seconds: float, cases: Sequence[Case] = ()
) -> dict[str, Any]:
    """`least_at`: the length whose distance is paid; `rises_again`: one after which pay comes back.

    None where the texts of this length differ, and with them their rewards.
    """
    nothing = {"least_at": None, "rises_again": None}
    if seconds * len(QUARTERS) > PATIENCE:
        return nothing
    begun = time.monotonic()
    right = [text for text in _right(function, sheet, cases) if ONE in text or "\n" not in text]
    counts = reads(function, "completion_ids")
    plain = sheet if counts else sheet._replace(ids=lambda text: [1])
    token_each = sheet._replace(ids=lambda text: [1] * len(text.split()))
    papers = {"characters": plain, "tokens" if counts else "words": token_each}
    for number in list(dict.fromkeys(_numbers(function)))[:MOST]:
        for form in (*right, ""):
            for unit, paper in papers.items():
                if time.monotonic() - begun > SECONDS:
                    return nothing
                tried = functools.partial(_tried, function, paper, number, unit, form)
                if found := _valley(number, unit, tried, bool(form)):
                    return {**nothing, found[0]: found[1]}
    return nothing


def _right(function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case]) -> list[str]:
    """The right answers of the first row that get the most, and more than garbage."""
    gold = ("gold", "made answer")
    texts = [case.text for case in cases if case.row == 0 and case.kind.startswith(gold)]
    garbage, *values = rewards_of(function, [GARBAGE, *texts], sheet) or [0.0]
    paid = [(value, text) for value, text in zip(values, texts) if value > garbage]
    return [text for _, text in sorted(paid, key=lambda pair: -pair[0])][:FORMS]


def _tried(
    function: Callable[..., Any], sheet: Sheet, number: int, unit: str, form: str, begin: int
) -> list[float]:
    """The rewards of texts of each length; nothing where one has no room for the form."""
    lengths = [number * quarters // 4 for quarters in QUARTERS]
    texts = [_padded(form, length, unit, begin) for length in lengths]
    return [] if None in texts else rewards_of(function, [str(text) for text in texts], sheet)


def _padded(form: str, length: int, unit: str, begin: int) -> str | None:
    """A text of this length: words that mean nothing, with a right answer around or behind them."""
    before, after = form.split(ONE, 1) if ONE in form else ("", f" {form}" if form else "")
    parts = before + after
    room = length - (len(parts) if unit == "characters" else len(parts.split()))
    if room < 1:
        return None
    words = different_words(begin + room)[begin:]
    filled = " ".join(words)[:room] if unit == "characters" else " ".join(words)
    return f"{before}{filled}{after}"


def _valley(
    number: int, unit: Any, tried: Callable[[int], list[float]], of_right: bool
) -> tuple[str, LeastAt] | None:
    """The least of these rewards, where the length alone decides on them."""
    values = tried(0)
    if len(values) != len(QUARTERS):
        return None
    for at in map(QUARTERS.index, LEASTS):
        window = values[at - WAY : at + WAY + 1]
        if not _is_valley(window) or not _alike(values, tried(len(QUARTERS))):
            continue
        lengths = [number * quarters // 4 for quarters in QUARTERS]
        around = tuple(lengths[at - WAY : at + WAY + 1])
        found = LeastAt(lengths[at], unit, around, tuple(window), of_right=of_right)
        bottom = window[WAY]
        grows = values[-1] - bottom > FAR * (max(values[:at]) - bottom)
        return "least_at" if grows else "rises_again", found
    return None


def _alike(values: list[float], others: list[float]) -> bool:
    return len(values) == len(others) and all(
        isclose(one, other, rel_tol=1e-3, abs_tol=1e-6) for one, other in zip(values, others)
    )


def _is_valley(values: list[float]) -> bool:
    """Whether the reward falls to the middle, and comes back after it, at least halfway."""
    before, after = values[: WAY + 1], values[WAY:]
    return (
        before == sorted(before, reverse=True)
        and after == sorted(after)
        and before[-2] > before[-1] < after[1]
        and 2 * (after[-1] - after[0]) >= before[0] - before[-1]
    )


def _numbers(function: Any) -> Iterator[int]:
    """Whole numbers of a function, or of functions that it names, and of objects that it reads."""
    for value in (*_of_objects(function), *own_values(function)):
        if type(value) in (int, float) and SHORTEST <= value <= LONGEST and value == int(value):
            yield int(value)


def _of_objects(function: Any) -> Iterator[Any]:
    """What it was given in advance, and the fields of objects that its code names."""
    function = inspect.unwrap(function) if callable(function) else function
    while isinstance(function, functools.partial):
        yield from (*function.args, *function.keywords.values())
        function = function.func
    code = getattr(bare(function), "__code__", None)
    names = {name for part in codes(code) for name in (*part.co_names,
             *(text for text in part.co_consts if isinstance(text, str)))}  # fmt: skip
    for value in (getattr(function, "__self__", function), *own_values(function)):
        fields = value if isinstance(value, Mapping) else getattr(value, "__dict__", None)
        if isinstance(fields, Mapping) and not isinstance(value, (type, FunctionType, ModuleType)):
            yield from (fields[name] for name in sorted(names) if name in fields)
