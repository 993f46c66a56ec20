"""The change of completions or right answers with which a function that always pays alike pays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .calls import Sheet, rewards_of
from .own_patterns import samples
from .rows import Case, cases, cell_text
from .short_forms import short_forms


def pays_if(
    function: Callable[..., Any], sheet: Sheet, tried: Sequence[Case], gold: str | None
) -> str:
    """What makes it pay: "texts", "stripped", "as texts" or "as numbers"; "" if nothing does.

    - "texts": completions that are texts, where those of the run are lists of messages
    - "stripped": right answers without the spaces at their ends
    - "as texts", "as numbers": right answers of the other type
    """
    forms = [*(case.text for case in tried if case.row == 0), *samples(function)]
    if len(set(rewards_of(function, forms, sheet))) != 1:
        return ""
    for name, other in _changed(sheet, gold):
        row = other.rows[0]
        right = [case.text for case in cases([row], gold, "")] + short_forms(row, gold)
        texts = list(dict.fromkeys([*forms, *right]))
        if len(set(rewards_of(function, texts, sheet))) != 1:
            return ""
        if len(set(rewards_of(function, texts, other))) > 1:
            return name
    return ""


def _changed(sheet: Sheet, gold: str | None) -> Iterator[tuple[str, Sheet]]:
    if sheet.conversational:
        yield "texts", sheet._replace(conversational=False)
    if not gold:
        return
    value = sheet.rows[0][gold]
    if isinstance(value, str):
        if value != value.strip():
            yield "stripped", _with(sheet, gold, lambda text: str(text).strip())
        if _number(value) is not None:
            yield "as numbers", _with(sheet, gold, _number)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield "as texts", _with(sheet, gold, cell_text)


def _with(sheet: Sheet, gold: str, change: Callable[[Any], Any]) -> Sheet:
    return sheet._replace(rows=[{**row, gold: change(row[gold])} for row in sheet.rows])


def _number(value: Any) -> float | int | None:
    """The number that a text is: 12 for "12", 0.5 for "0.5"."""
    for kind in (int, float):
        try:
            return kind(value)
        except (TypeError, ValueError):
            continue
    return None
