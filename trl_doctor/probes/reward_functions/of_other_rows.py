"""Whether a reward depends on the rows beside a completion, on its place, or on earlier calls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .calls import Sheet, called
from .rows import GARBAGE, Case

KINDS = 8
"""The most kinds of completions that are tried at other places."""

THOUGHT = "Let me see."
"""What most forms of an answer have before it; a number after it changes no answer."""


def of_first_row(function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case]) -> bool:
    """Whether one completion, given for two rows in a call, gets what the first row calls for."""
    right = [case for case in cases if case.kind.startswith("gold")]
    other = next((case.row for case in cases if case.row), 0)
    try:
        for case in right if other else ():
            rows = (case.row, other if case.row != other else 0)
            here, there = (case._replace(row=row) for row in rows)
            alone = [called(function, [row], sheet).values[0] for row in (here, there)]
            if alone[0] == alone[1]:
                continue
            calls = [called(function, both, sheet) for both in ([here, there], [there, here])]
            whole = all(call.returned == 2 for call in calls)
            return whole and [call.values for call in calls] == [[value, value] for value in alone]
    except Exception:
        return False
    return False


def of_place(function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case]) -> bool:
    """Whether the same completions of the same rows get other rewards in the opposite order.

    A function that gives two calls of one order different rewards is not judged: it is random, or
    changes with each call. One whose rewards are infinite or no number is not judged, either.
    """
    kinds = list(dict.fromkeys(case.kind for case in cases))[:KINDS]
    try:
        for kind in kinds:
            rows = [case for case in cases if case.kind == kind]
            if len(rows) < 2:
                continue
            calls = [called(function, order, sheet) for order in (rows, rows[::-1], rows)]
            first, turned, again = (call.values for call in calls)
            whole = all(call.returned == len(rows) for call in calls)
            if not whole or not all(map(math.isfinite, first)) or not _same(first, again):
                return False
            if not _same(first, turned[::-1]):
                ranks = _compares(function, sheet, rows, first) or compares(function, sheet, cases)
                return not ranks
    except Exception:
        return False
    return False


def _compares(
    function: Callable[..., Any], sheet: Sheet, rows: Sequence[Case], first: Sequence[float]
) -> bool:
    """Whether a completion gets another reward at its place, if others are beside it.

    Such a function ranks completions, perhaps those of a group that stand together.
    """
    for at, case in enumerate(rows):
        others = [other for number, other in enumerate(rows) if number != at][::-1]
        for beside in (others, [other._replace(text=GARBAGE) for other in others]):
            call = called(function, [*beside[:at], case, *beside[at:]], sheet)
            if not _same(call.values[at : at + 1], first[at : at + 1]):
                return True
    return False


def compares(function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case]) -> bool:
    """Whether the reward of a completion changes with another one of its prompt beside it."""
    own = [case for case in cases if case.row == 0][:KINDS]
    own += [case._replace(text=text) for case in own[:1] for text in (GARBAGE, "")]
    for first in own:
        try:
            values = [called(function, [first, other], sheet).values[0] for other in [*own, own[0]]]
        except Exception:
            return False
        if not _same(values[:1], values[-1:]):
            return False  # it changes with each call
        if not all(_same([one], values[:1]) for one in values):
            return True
    return False


def out_of_order(function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case]) -> bool:
    """Whether two completions of a row get the same two rewards when they change places.

    Alone they get these two as well: a function that ranks the completions of a call is not judged.
    """
    try:
        first, *others = (case for case in cases if case.row == 0)
        for other in others[:KINDS]:
            alone = [called(function, [case], sheet).values[0] for case in (first, other)]
            if alone[0] == alone[1] or not all(map(math.isfinite, alone)):
                continue
            calls = [called(function, pair, sheet) for pair in ([first, other], [other, first])]
            here, there = (call.values for call in calls)
            whole = all(call.returned == 2 for call in calls)
            return whole and _same(here, there) and _same(sorted(here), sorted(alone))
    except Exception:
        return False
    return False


def of_earlier(function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case]) -> bool:
    """Whether a prompt's first completion decides what all of its later ones get.

    Each pair of completions is tried on two new prompts, in both orders, and each completion alone
    on a third one.
    """
    texts = list(dict.fromkeys(case.text for case in cases if case.row == 0))[:KINDS]
    fresh = _Fresh(function, sheet)
    try:
        for text in texts[1:]:
            pair = (texts[0], text)
            here, there = fresh.asked(pair), fresh.asked(pair[::-1])
            if here[0] == there[0] or not (here[0] == here[1] and there[0] == there[1]):
                continue
            return (*fresh.asked(pair[:1]), *fresh.asked(pair[1:])) == (here[0], there[0])
    except Exception:
        return False
    return False


def of_text(function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case]) -> bool:
    """Whether a completion gets for one row what the same text got for another one.

    That is tried in two calls, and in one call; each time with a text that the function has not
    seen, and which is worth more for one row than for the other.
    """
    right = [case.text for case in cases if case.row == 0 and case.kind.startswith("gold")]
    other = next((case.row for case in cases if case.row), 0)

    def rewards(text: str, number: int, *rows: int) -> list[float]:
        new = text.replace(THOUGHT, f"{THOUGHT} {number}.")
        return called(function, [Case(row, "", new) for row in rows], sheet).values

    try:
        for text in right if other else ():
            alone = [*rewards(text, 11, 0), *rewards(text, 12, other)]
            if THOUGHT not in text or alone[0] == alone[1]:
                continue
            later = [*rewards(text, 11, other), *rewards(text, 12, 0)]
            together = [rewards(text, 13, 0, other), rewards(text, 14, other, 0)]
            again = [*rewards(text, 15, 0), *rewards(text, 16, other)]
            of_last = together == [[alone[1]] * 2, [alone[0]] * 2]
            return again == alone and (later == alone or of_last)
    except Exception:
        return False
    return False


class _Fresh:
    """Calls a function with prompts that it has not seen: the first row's, with a number."""

    def __init__(self, function: Callable[..., Any], sheet: Sheet) -> None:
        self.function, self.sheet, self.number = function, sheet, 0

    def asked(self, texts: Sequence[str]) -> tuple[float, ...]:
        """The rewards of completions of one new prompt, each in a call of its own."""
        self.number += 1
        row = {**self.sheet.rows[0], "prompt": _numbered(self.sheet.rows[0]["prompt"], self.number)}
        sheet = self.sheet._replace(rows=[row])
        return tuple(called(self.function, [Case(0, "", text)], sheet).values[0] for text in texts)


def _numbered(prompt: Any, number: int) -> Any:
    if isinstance(prompt, list) and prompt and isinstance(prompt[-1].get("content"), str):
        return [*prompt[:-1], {**prompt[-1], "content": f"{prompt[-1]['content']} ({number})"}]
    return f"{prompt} ({number})" if isinstance(prompt, str) else prompt


def _same(first: Sequence[float], second: Sequence[float]) -> bool:
    return all(math.isclose(a, b, abs_tol=1e-6) or (a != a and b != b)
               for a, b in zip(first, second))  # fmt: skip
