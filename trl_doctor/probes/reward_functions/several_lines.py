"""Whether a reward function misses right answers whose reasoning has more than one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .calls import Sheet, rewards_of
from .own_patterns import WORDS, patterns, samples
from .rows import GARBAGE, Case, all_text
from .short_forms import short_forms

ONE = "Let me see."
SAME = "Let me see. Then I know it."
MORE = tuple("\n".join(("Let me see.", *["Then I know it."] * lines)) for lines in (1, 2, 3, 4))
"""The reasoning of a form, and a text of one line and of more: some count the lines."""

REASONING = re.compile(
    rf"(<(\w*(?:think|reason|thought|scratch|work|analysis|plan|step|expla)\w*)>\s*){WORDS}(\s*</\2>)",
    re.IGNORECASE,
)
"""A part of a text that a model writes before its answer, in tags."""

ON_PURPOSE = re.compile(
    r"\b(?:one|single|same|1|first|last|final)[ -](?:line|sentence)", re.IGNORECASE
)
"""A prompt that asks for one line, or for the answer in a certain one."""


def misses_lines(
    function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case], gold: str | None = None
) -> bool:
    """Whether each form that is paid for in one line gets what garbage gets in two and more.

    Not where the prompt asks for one line, or a pattern says that a part has no line breaks.
    """
    if ON_PURPOSE.search(all_text(sheet.rows[0]["prompt"])):
        return False
    if any("[^\\n" in one.pattern or "[^\n" in one.pattern for one in patterns(function)):
        return False
    right = dict.fromkeys(_right(function, sheet, cases, gold))
    ways = (SAME, *MORE)
    texts = [GARBAGE, "", *(text.replace(ONE, way) for text in right for way in ways)]
    values = rewards_of(function, texts, sheet)
    if not values:
        return False
    least = max(values[:2])
    starts = range(2, len(values), len(ways))
    paid = [values[at + 1 : at + len(ways)] for at in starts if values[at] > least]
    return bool(paid) and all(value <= least for more in paid for value in more)


def _right(
    function: Callable[..., Any], sheet: Sheet, cases: Sequence[Case], gold: str | None
) -> Iterator[str]:
    """Texts with one line of reasoning that the function may pay for."""
    forms = [case.text for case in cases if case.row == 0] + short_forms(sheet.rows[0], gold)
    for text in forms:
        if ONE in text:
            yield text
            yield from (text.replace("\n", space) for space in (" ", ""))
    for text in samples(function):
        if REASONING.search(text):
            yield REASONING.sub(rf"\g<1>{ONE}\g<3>", text)
