"""What the token that ends an answer changes in the rewards of a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .calls import Sheet, called
from .own_patterns import samples
from .rows import GARBAGE, Case

MOST = 8
"""Texts that match the function's own patterns."""


def ends(function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case]) -> dict[str, Any]:
    """Whether the end of the ids changes a reward, and whether it leaves none to be paid.

    Then each text that is paid for gets what garbage gets if its ids have their end. TRL passes ids
    with the end of each answer that ends; its texts have none.
    """
    if sheet.end is None or "completion_ids" not in sheet.release.passes:
        return {}
    own = samples(function)[:MOST]
    texts = [GARBAGE, "", *own, *(case.text for case in cases if case.row == 0)]
    tried = [Case(0, "", text) for text in texts]
    end = [sheet.end]
    ended = sheet._replace(ids=lambda text: sheet.ids(text) + end)
    try:
        open_, closed = (called(function, tried, form) for form in (sheet, ended))
    except Exception:
        return {}
    if not open_.returned == closed.returned == len(texts):
        return {}
    least, least_ended = max(open_.values[:2]), max(closed.values[:2])
    paid = [at for at, value in enumerate(open_.values) if value > least]
    misses = bool(paid) and all(closed.values[at] <= least_ended for at in paid)
    changes = list(map(repr, open_.values)) != list(map(repr, closed.values))  # nan is not nan
    return {"of_end": changes, "misses_ends": misses}
