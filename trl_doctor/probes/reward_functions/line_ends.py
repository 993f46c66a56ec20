"""Whether a reward function asks for a line break behind the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .calls import Sheet, rewards_of
from .own_patterns import samples
from .rows import GARBAGE, Case
from .short_forms import short_forms


def asks_for_line_end(
    function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case], gold: str | None
) -> bool:
    """Whether each text that it pays for gets what garbage gets without the blanks at its end.

    Models end an answer with the token that ends a turn, and no line break is before it.
    """
    own = [case.text for case in cases if case.row == 0]
    forms = [*own, *short_forms(sheet.rows[0], gold), *samples(function)]
    bare = list(dict.fromkeys(text.rstrip() for text in forms))
    texts = [GARBAGE, "", f"{GARBAGE}\n", "\n", *bare, *(f"{text}\n" for text in bare)]
    values = rewards_of(function, texts, sheet)
    if not values:
        return False
    least, alone, ended = max(values[:4]), values[4 : 4 + len(bare)], values[4 + len(bare) :]
    return max(alone, default=least) <= least < max(ended, default=least)
