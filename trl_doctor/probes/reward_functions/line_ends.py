"""Whether a reward function asks for a line break behind the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .calls import Sheet, rewards_of
from .own_patterns import samples
from .rows import GARBAGE, Case
from .short_forms import short_forms

OTHER = "x"
"""As long as a line break: a reward that counts characters pays the same for both."""


def asks_for_line_end(
    function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case], gold: str | None
) -> bool:
    """Whether a text is paid for with a line break at its end, and none without or with a letter.

    Models end an answer with the token that ends a turn, and no line break is before it.
    """
    own = [case.text for case in cases if case.row == 0]
    forms = [*own, *short_forms(sheet.rows[0], gold), *samples(function)]
    bare = list(dict.fromkeys(text.rstrip() for text in forms))
    shapes = [[f"{text}{end}" for text in bare] for end in ("", "\n", OTHER)]
    texts = [GARBAGE, "", f"{GARBAGE}\n", "\n", *(text for shape in shapes for text in shape)]
    values = rewards_of(function, texts, sheet)
    if not values:
        return False
    least, rest, count = max(values[:4]), values[4:], len(bare)
    alone, ended, longer = rest[:count], rest[count : 2 * count], rest[2 * count :]
    if max(alone, default=least) > least:
        return False
    return any(value > least >= other for value, other in zip(ended, longer))
