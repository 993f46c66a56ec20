"""Solutions of the rows that the limit of a completion cuts before what a function pays for."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..answers.rewards import CutSolutions
from .calls import Sheet, called
from .rows import GARBAGE, Case, all_text, cell_text, final

SECONDS = 1.0
"""The time for all columns; the later rows are left out when it is over."""

FEWEST, SHARE = 4, 0.9
"""Rows that are tried, at least, and the share of them that is cut."""

TAIL, HEAD = 240, 60
"""Characters at the end of a solution that have its answer; and by which a text is found again."""

SHORT = re.compile(
    r"\b(?:only|just|directly|concise(?:ly)?|brief(?:ly)?|short(?:ly)?)\b|\bno (?:explan|reason)"
    r"|\bwithout (?:any )?(?:explan|reason)"
    r"|\b(?:answer|reply|respond) with (?:an? |the |your )?(?:final )?"
    r"(?:numbers?|letters?|integers?|words?|result|answer)\b(?! and)"
    r"|\b(?:single|one) (?:word|number|line|sentence|letter)",
    re.IGNORECASE,
)
"""How a prompt asks for an answer without a solution."""


class Limit(NamedTuple):
    """The tokens of the longest completion of the run, and whether the script has set them."""

    tokens: int
    given: bool


def cut_solutions(
    function: Callable[..., Any],
    sheet: Sheet,
    gold: str,
    limit: Limit,
    decode: Callable[[list[int]], str],
) -> CutSolutions | None:
    """The column with solutions that are paid for as a whole, and not as far as the limit goes.

    Nearly all of them end with the right answer and are longer than the limit. A limit that the
    script has set may be right for other solutions than these: then only the column of the right
    answers counts.
    """
    begun = time.monotonic()
    columns = [gold] if limit.given else [name for name in sheet.rows[0] if name != "prompt"]
    for column in columns:
        lengths: list[int] = []
        cut = 0
        for number, row in enumerate(sheet.rows):
            if time.monotonic() - begun > SECONDS:
                break
            ids = sheet.ids(text) if (text := _solution(row, column, gold)) else []
            lengths.append(len(ids))
            if len(ids) > limit.tokens:
                cut += _is_lost(function, sheet, number, text, decode(ids[: limit.tokens]))
            if len(lengths) - cut > (1 - SHARE) * len(sheet.rows):
                break
        if len(lengths) >= FEWEST and cut >= SHARE * len(lengths):
            words = statistics.median(len(cell_text(row[column]).split()) for row in sheet.rows)
            median = int(statistics.median(lengths))
            return CutSolutions(column, limit.tokens, len(lengths), cut, median, int(words))
    return None


def _solution(row: dict[str, Any], column: str, gold: str) -> str:
    """The text of a cell that ends with the row's answer; "" of any other one."""
    text, prompt = cell_text(row[column]), all_text(row["prompt"])
    answer = final(cell_text(row[gold])) or cell_text(row[gold])
    if not text or text[:HEAD] in prompt or SHORT.search(prompt):
        return ""
    return text if answer.strip() in text[-max(TAIL, len(answer)) :] else ""


def _is_lost(
    function: Callable[..., Any], sheet: Sheet, row: int, whole: str, beginning: str
) -> bool:
    """Whether a solution is paid for, and its beginning gets what garbage gets."""
    texts: Sequence[str] = (GARBAGE, "", whole, beginning)
    *least, paid, left = called(function, [Case(row, "", text) for text in texts], sheet).values
    return paid > max(least) >= left
