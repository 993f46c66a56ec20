"""What the token that ends an answer changes in the rewards of a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .calls import Sheet, rewards_of
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
    end = [sheet.end]
    ended = sheet._replace(ids=lambda text: sheet.ids(text) + end)
    open_, closed = (rewards_of(function, texts, form) for form in (sheet, ended))
    if not open_ or not closed:
        return {}
    least, least_ended = max(open_[:2]), max(closed[:2])
    paid = [at for at, value in enumerate(open_) if value > least]
    misses = bool(paid) and all(closed[at] <= least_ended for at in paid)
    changes = list(map(repr, open_)) != list(map(repr, closed))  # nan is not nan
    return {"of_end": changes, "misses_ends": misses}
