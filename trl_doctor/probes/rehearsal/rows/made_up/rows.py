"""Rows of a data set that is not here, with the columns that somebody will ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ....layout.pictures import COLUMNS
from .values import ANSWERS, PROMPTS, filled, messages, picture

if TYPE_CHECKING:
    from .well_known import Columns

TALKS = ("prompt", "chosen", "rejected", "completion")
"""What some data sets have as a text, and some as a list of messages."""

LISTS = ("messages", "conversations", "conversation")
NUMBERS = ("score", "reward", "rating", "margin")
IDS = ("id", "idx", "index")


def made(
    columns: tuple[str, ...],
    count: int,
    parsed: frozenset[str] = frozenset(),
    shapes: Mapping[str, str] | None = None,
    known: Columns | None = None,
    form: str = "",
) -> list[dict[str, Any]]:
    """So many rows, of two kinds; what is `parsed` is JSON, others have the `shapes` asked for.

    What is `known` of the data set counts where neither says anything. `form` is what the script
    has turned out to take where a made row had the other: "text" or "talk".
    """
    shapes, known = shapes or {}, known or {}
    if form:
        talks = (*TALKS, *LISTS) if form == "text" else TALKS
        shapes = {**{name: form for name in columns if name in talks}, **shapes}

    def value(name: str, number: int) -> Any:
        if name in parsed:
            return _json(name)
        return _shaped(name, number, columns, shapes, known)

    return [{name: value(name, number % 2) for name in columns} for number in range(count)]


def _shaped(
    name: str,
    number: int,
    columns: tuple[str, ...],
    shapes: Mapping[str, str],
    known: Columns,
) -> Any:
    """The value of a column, as the script takes it."""
    shape = shapes.get(name, "")
    value = filled(known[name], number) if name in known else _value(name, number, columns)
    if name == "prompt" and not shape and name not in known:  # a talk and a text do not go together
        shape = "text" if "text" in map(shapes.get, ("chosen", "rejected")) else ""
    if shape.endswith("talk"):
        answer = ANSWERS[1 - number if name.lower() == "rejected" else number]
        return messages(PROMPTS[number], answer, older=shape == "older talk")
    if shape == "text" and isinstance(value, list):
        last = value[-1]
        return last.get("content", "") if isinstance(last, dict) else str(last)
    return str(value) if shape == "text" else value


def _json(name: str) -> str:
    """Something that can be read as JSON: a list by a name in the plural."""
    return "[]" if name.endswith("s") and not name.endswith("arguments") else "{}"


def _value(name: str, number: int, columns: tuple[str, ...]) -> Any:
    prompt, answer, other = PROMPTS[number], ANSWERS[number], ANSWERS[1 - number]
    bare = name.lower()
    if bare in COLUMNS:
        return picture(number) if bare == "image" else [picture(number)]
    if bare in LISTS:
        return messages(prompt, answer, older=bare == "conversations")
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


def every_split(rows: Callable[[str], Any]) -> Any:
    """A dictionary that has every split that is asked for; `rows` makes one."""
    from datasets import DatasetDict

    class Splits(DatasetDict):  # type: ignore[misc]
        def __missing__(self, name: str) -> Any:
            if not isinstance(name, str):
                raise KeyError(name)
            return rows(name)

    return Splits({name: rows(name) for name in ("train", "test")})
