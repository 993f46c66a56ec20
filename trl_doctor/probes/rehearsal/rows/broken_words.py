"""Texts of rows that stop inside a word or a sentence, where the text that was read goes on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ...reading import texts
from ..record import Mistake
from .sources import Row

COMPARED, READ = 48, 256
"""Rows to train on, and rows of each file, that are compared at most."""

FEWEST, SHARE = 4, 0.1
"""Rows with such a text, and their share, at least."""

ALIKE, PART = 8, 0.2
"""Rows whose texts have the greatest length of all, and their share, at least."""

ANSWERS = ("completion", "chosen", "rejected")

TAIL, REST = 24, 8
"""Characters before the end by which a text is found again, and those that follow, at least."""

BEGIN = 16
"""Characters of the beginning of the row that goes on, at most, where a long text is divided."""


USED = ("prompt", *ANSWERS, "messages", "text")
"""Columns that trainers read, where a row has one of them."""

OF_ONE_LENGTH = {"texts": "texts of one length", "questions": "questions of one length"}
"""What it is called where as many texts, or questions, end at one length."""


class End(NamedTuple):
    """A text that stops inside a sentence: its column, the text, its end, what was read next, and
    the last of that."""

    column: str
    text: str
    tail: str
    rest: str
    last: str


def broken_words(read: list[list[Row]], rows: Any, tokenizer: Any) -> Iterator[Mistake]:
    """The mistakes, with the number of rows, of how many, the end of a text and what follows.

    Answers and texts are cut inside a word, or all to one length; prompts to one length, inside a
    question.
    """
    whole = [text for raw in read for row in raw[:READ] for text in texts(row)]
    whole = [text for text in dict.fromkeys(whole) if len(text) >= TAIL]
    try:
        first = list(itertools.islice(iter(rows), COMPARED))
        every = [text for row in first for _, text in _texts_of(_used(row), tokenizer)]
        for what, part in (("texts", _learned), ("questions", _asked)):
            parts = [_texts_of(part(row), tokenizer) for row in first]
            yield from _cut(what, parts, whole, every, tokenizer)
    except Exception:  # rows of another kind
        return


def _cut(
    what: str,
    parts: list[list[tuple[str, str]]],
    whole: list[str],
    every: list[str],
    tokenizer: Any,
) -> Iterator[Mistake]:
    """The mistake of texts that are learned, or of questions."""
    ends = [
        end
        for of_row in parts
        for end in itertools.islice(_ends(of_row, whole), 1)
        if not _goes_on(end.tail, end.rest, every)
    ]
    broken = [end for end in ends if end.rest[0].isalnum()]
    if what == "texts" and len(broken) >= max(FEWEST, SHARE * len(parts)):
        words = [str(len(broken)), str(len(parts)), broken[0].tail, broken[0].rest]
        yield Mistake("texts cut off", words)
        return
    if what == "questions":
        ends = [end for end in ends if end.last == "?" and "?" not in end.text]
    if len(ends) < max(ALIKE, PART * len(parts)):
        return
    alike: list[End] = []
    length = ""
    for unit, size in _units(tokenizer):
        longest: dict[str, int] = {}
        for column, text in itertools.chain.from_iterable(parts):
            longest[column] = max(size(text), longest.get(column, 0))
        for column, most in longest.items():
            found = [end for end in ends if end.column == column and size(end.text) == most]
            if len(found) > len(alike):
                alike, length = found, f"{most} {unit}"
    if len(alike) >= max(ALIKE, PART * len(parts)):
        words = [str(len(alike)), str(len(parts)), length, alike[0].tail, alike[0].rest]
        yield Mistake(OF_ONE_LENGTH[what], words)


def _units(tokenizer: Any) -> Sequence[tuple[str, Callable[[str], int]]]:
    """The units that a text is cut by, each with what counts them."""
    return (
        ("characters", len),
        ("words", lambda text: len(text.split())),
        ("tokens", lambda text: len(tokenizer(text, add_special_tokens=False)["input_ids"])),
    )


def _goes_on(tail: str, rest: str, every: list[str]) -> bool:
    """Whether another row begins near this end, or has the end and what follows it."""
    near = tail + rest
    return any(
        text.lstrip()[:BEGIN] in near or near[: TAIL + REST] in text
        for text in every
        if len(text.lstrip()) >= REST
    )


def _learned(row: Row) -> Row:
    """What of a row a model learns to write: answers, where the row tells them from questions."""
    if answers := {name: row[name] for name in ANSWERS if row.get(name)}:
        return answers
    if isinstance(turns := row.get("messages"), list):
        return {"messages": [turn for turn in turns if turn.get("role") == "assistant"]}
    return {} if "prompt" in row else _used(row)


def _used(row: Row) -> Row:
    """What a trainer reads of a row; all of it where that is not known."""
    return {name: row[name] for name in USED if row.get(name)} or row


def _asked(row: Row) -> Row:
    """The question of a row: the last turn of a prompt."""
    prompt = row.get("prompt")
    if isinstance(prompt, list):
        prompt = prompt[-1].get("content") if prompt and prompt[-1].get("role") == "user" else ""
    return {"prompt": prompt} if isinstance(prompt, str) else {}


def _texts_of(row: Row, tokenizer: Any) -> list[tuple[str, str]]:
    """The texts of a row, each with its column; of a row of token ids what they say."""
    if "input_ids" in row:
        return [("input_ids", tokenizer.decode(row["input_ids"], skip_special_tokens=True))]
    return [(name, text) for name, value in row.items() for text in texts({name: value})]


def _ends(parts: list[tuple[str, str]], whole: list[str]) -> Iterator[End]:
    """The end of each text that stops inside a sentence, and what the text that was read has next.

    Either goes on inside the word, or with a new one. No text that was read ends here.
    """
    for column, part in parts:
        tail = part.rstrip()[-TAIL:]
        if len(tail) < TAIL or not tail[-1].isalnum():
            continue
        if any(text.rstrip().endswith(tail) for text in whole):
            continue
        for text in whole:
            at = text.find(tail)
            rest = text[at + TAIL :][:TAIL] if at >= 0 else ""
            if len(rest) >= REST and (rest[0].isalnum() or rest[0] == " "):
                yield End(column, part, tail, rest, text.rstrip()[-1:])
                break
