"""Rows of a data set that is not here, with the columns that somebody will ask for."""

from __future__ import annotations

import re
from typing import Any

from ..layout.pictures import COLOURS, COLUMNS, SIZE

PROMPTS = ("What is seven times six?", "Write one sentence about the sea, and then count to five.")
ANSWERS = ("Forty-two.", "The sea was calm. One, two, three, four, five.")
LISTS = ("messages", "conversations", "conversation")
NUMBERS = ("score", "reward", "rating", "margin")
IDS = ("id", "idx", "index")


def made(
    columns: tuple[str, ...], count: int, parsed: frozenset[str] = frozenset()
) -> list[dict[str, Any]]:
    """So many rows, of two kinds; what is `parsed` is JSON."""
    return [
        {
            name: _json(name) if name in parsed else _value(name, number % 2, columns)
            for name in columns
        }
        for number in range(count)
    ]


def _json(name: str) -> str:
    """Something that can be read as JSON: a list by a name in the plural."""
    return "[]" if name.endswith("s") and not name.endswith("arguments") else "{}"


def _value(name: str, number: int, columns: tuple[str, ...]) -> Any:
    prompt, answer, other = PROMPTS[number], ANSWERS[number], ANSWERS[1 - number]
    bare = name.lower()
    if bare in COLUMNS:
        return _picture(number) if bare == "image" else [_picture(number)]
    if bare in LISTS:
        keys = ("from", "value") if bare == "conversations" else ("role", "content")
        roles = ("human", "gpt") if bare == "conversations" else ("user", "assistant")
        return [{keys[0]: roles[0], keys[1]: prompt}, {keys[0]: roles[1], keys[1]: answer}]
    if bare in ("chosen", "rejected") or (bare == "reference" and "chosen" in columns):
        text = other if bare == "rejected" else answer
        talk = [] if "prompt" in columns else [{"role": "user", "content": prompt}]
        return [*talk, {"role": "assistant", "content": text}]
    if bare == "prompt" and {"chosen", "rejected", "solution", *COLUMNS} & set(columns):
        return [{"role": "user", "content": prompt}]
    if bare == "completion" and {*COLUMNS} & set(columns):
        return [{"role": "assistant", "content": answer}]
    if bare == "label":
        return bool(number)
    if bare in ("completions", "labels"):
        return [answer, other] if bare == "completions" else [True, False]
    if re.search("|".join(NUMBERS), bare):
        return float(number)
    if bare in IDS or bare.endswith("_id"):
        return number
    if re.search("answer|solution|target|ground|gold|output|response|completion|summary", bare):
        return "#### 42" if bare == "answer" else "42" if number == 0 else answer
    return prompt


def _picture(number: int) -> Any:
    """An image of one colour. Raises ImportError where Pillow is missing."""
    from PIL import Image

    return Image.new("RGB", SIZE, COLOURS[number])
