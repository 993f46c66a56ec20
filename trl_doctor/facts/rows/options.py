"""Questions with options, and whether a prompt asks for the letter of one."""

from __future__ import annotations

import re

from trl_doctor.core.finding import Json
from trl_doctor.facts.rows.texts import text_of

ASKS = re.compile(
    r"\bletters?\b(?! (?:to|from|by|about)\b)|(?:answer|reply|respond|choose)\s[^.\n]{0,40}\b"
    r"A, B, C(?:,|\b)|\(A, B, C",
    re.IGNORECASE,
)
"""How a prompt asks for the letter of an option."""

DECLINES = re.compile(
    r"\b(?:not|no|without|instead of|rather than) (?:(?:its|the|a|any|just|by) ){0,2}letters?\b"
    r"|\bletters? (?:and|with|as well as) (?:the |its )?(?:texts?|words?|contents?|options?)\b",
    re.IGNORECASE,
)
"""How a prompt says that it does not want the letter, or not the letter alone."""

OPTION = re.compile(r"\b[A-J][.):]\s+(.*?)(?=\s+\(?[A-J][.):]\s|\s*\n|\s*$)", re.DOTALL)


def asks_for_letter(prompt: Json) -> bool:
    """Whether a prompt lists options and wants the letter of one, and nothing else of it."""
    whole = text_of(prompt)
    asks = ASKS.search(whole) and not DECLINES.search(whole)
    return bool(asks and len(OPTION.findall(whole)) > 1)


def options_of(prompt: Json) -> list[str]:
    """What the options of a prompt say."""
    return [str(option) for option in OPTION.findall(text_of(prompt))]
