"""Whether a reward function misses right answers whose reasoning has more than one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .calls import Sheet, called
from .rows import GARBAGE, Case

ONE = "Let me see."
SAME, TWO = "Let me see. Then I know it.", "Let me see.\nThen I know it."
"""The reasoning of a form, and the same text in one line and in two."""


def misses_lines(function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case]) -> bool:
    """Whether each form that is paid for in one line gets what garbage gets in two."""
    right = [case for case in cases if case.row == 0 and ONE in case.text]
    texts = [GARBAGE, "", *(case.text.replace(ONE, way) for case in right for way in (SAME, TWO))]
    try:
        call = called(function, [Case(0, "", text) for text in texts], sheet)
    except Exception:
        return False
    if call.returned != len(texts):
        return False
    least = max(call.values[:2])
    pairs = list(zip(call.values[2::2], call.values[3::2]))
    paid = [two for one, two in pairs if one > least]
    return bool(paid) and all(two <= least for two in paid)
