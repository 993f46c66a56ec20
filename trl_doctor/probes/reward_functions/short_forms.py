"""Right answers as a model may write them in one line: in tags, as JSON."""

from __future__ import annotations

import json
import re
from typing import Any

from .equations import equation
from .rows import all_text, answer_text

TAGS, KEYS = ("think", "answer"), ("answer",)
"""What is tried where the prompt names no tags and no keys."""

MOST = 4
"""Keys of JSON that are tried."""


def short_forms(row: dict[str, Any], gold: str | None) -> list[str]:
    """The right answer of a row in each of these forms; nothing where it is not known.

    Where the row has numbers that give the answer, so has a form.
    """
    answer, prompt = answer_text(row[gold]) if gold else "", all_text(row["prompt"])
    if not answer:
        return []
    texts = [text for text in (answer, equation(row, answer)) if text]
    return list(dict.fromkeys(form for text in texts for form in _forms(text, prompt)))


def _forms(answer: str, prompt: str) -> list[str]:
    tags = re.findall(r"<([A-Za-z_]{1,30})>", prompt) or list(TAGS)
    *before, last = dict.fromkeys(tags)
    parts = [f"<{tag}>Let me see.</{tag}>" for tag in before]
    tagged = [space.join([*parts, f"<{last}>{answer}</{last}>"]) for space in ("", " ", "\n")]
    keys = list(dict.fromkeys(re.findall(r"['\"](\w{1,30})['\"]\s*:", prompt)))[:MOST] or KEYS
    values: list[Any] = [answer]
    if re.fullmatch(r"-?\d{1,15}", answer):
        values.append(int(answer))
    objects = [json.dumps(dict.fromkeys(keys, value)) for value in values]
    return [*tagged, *objects]
