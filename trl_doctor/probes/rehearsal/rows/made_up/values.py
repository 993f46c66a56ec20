"""The values of made rows: of two kinds, by their number."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....layout.pictures import COLOURS, SIZE
from .well_known import (
    ANSWERED,
    ASKED,
    FLAG,
    FLAGS,
    NUMBER,
    NUMBERS,
    OLDER_TALK,
    OTHER_TALK,
    PICTURE,
    PICTURES,
    REFUSED,
    TALK,
    WHOLE,
    WHOLES,
)

if TYPE_CHECKING:
    from .well_known import Kind

PROMPTS = ("What is seven times six?", "Write one sentence about the sea, and then count to five.")
ANSWERS = ("Forty-two.", "The sea was calm. One, two, three, four, five.")


def filled(kind: Kind, number: int) -> Any:
    """What a column of a well-known data set holds."""
    prompt, answer, other = PROMPTS[number], ANSWERS[number], ANSWERS[1 - number]
    if isinstance(kind, tuple):
        return [filled(part, number) for part in kind]
    lists: dict[str, Callable[[], Any]] = {
        TALK: lambda: messages(prompt, answer, older=False),
        OTHER_TALK: lambda: messages(prompt, other, older=False),
        OLDER_TALK: lambda: messages(prompt, answer, older=True),
        ASKED: lambda: [{"role": "user", "content": prompt}],
        ANSWERED: lambda: [{"role": "assistant", "content": answer}],
        REFUSED: lambda: [{"role": "assistant", "content": other}],
        NUMBER: lambda: float(number + 1), WHOLE: lambda: number, FLAG: lambda: bool(number),
        NUMBERS: lambda: [2.0, 1.0], WHOLES: lambda: [3, 7, 6], FLAGS: lambda: [True, False],
        PICTURE: lambda: picture(number), PICTURES: lambda: [picture(number)],
    }  # fmt: skip
    if kind in lists:
        return lists[kind]()
    texts = {"{prompt}": prompt, "{answer}": answer, "{other}": other}
    return re.sub(r"\{(?:prompt|answer|other)\}", lambda part: texts[part[0]], kind)


def messages(prompt: str, answer: str, *, older: bool) -> list[dict[str, str]]:
    """A question and its answer; `older` ones have `from` and `value`."""
    role_key, text_key = ("from", "value") if older else ("role", "content")
    roles = ("human", "gpt") if older else ("user", "assistant")
    return [{role_key: roles[0], text_key: prompt}, {role_key: roles[1], text_key: answer}]


def picture(number: int) -> Any:
    """An image of one colour. Raises ImportError if Pillow is missing."""
    from PIL import Image

    return Image.new("RGB", SIZE, COLOURS[number])
