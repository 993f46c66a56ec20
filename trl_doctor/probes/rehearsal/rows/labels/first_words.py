"""Labels of a script's own that begin behind the first word of an answer.

A prompt that is tokenized alone has other tokens at its end than in the whole text: one that ends
in a space gives that space to the answer's first word there. A mask as long as the prompt's tokens
then leaves out the word, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..letters import letters
from ..sources import Row
from .own_labels import answered, labelled, learned_from

READ = 512
"""Rows of each data set that are compared at most."""

FEWEST = 3
"""Rows with different first words that are lost, at least."""


class Pair(NamedTuple):
    """A question and an answer of a record by their letters, its first word, and the answer."""

    question: str
    answer: str
    word: str
    said: str


def first_words_lost(read: list[list[Row]], rows: Any, tokenizer: Any) -> list[str] | None:
    """How many rows, of how many, and a first word that has no label."""
    pairs = [pair for table in read for record in table[:READ] for pair in _pairs(record)]
    if not pairs or not (first := labelled(rows)):
        return None
    lost = [word for row in first if (word := _lost(row, pairs, tokenizer))]
    if len({*lost}) < FEWEST:
        return None
    return [str(len(lost)), str(len(first)), lost[0]]


def _pairs(record: Row) -> Iterator[Pair]:
    for question, answer in answered(record):
        yield Pair(letters(question), letters(answer), answer.split()[0], answer.strip())


def _lost(row: Row, pairs: list[Pair], tokenizer: Any) -> str:
    """The first word of the row's answer, if the labels are the rest of the text behind it."""
    begins = learned_from(row)
    if begins is None:
        return ""
    whole, taught = (
        letters(tokenizer.decode(ids, skip_special_tokens=True))
        for ids in (row["input_ids"], row["input_ids"][begins:])
    )
    start = len(whole) - len(taught)
    for pair in pairs:
        asked = whole.find(pair.question)
        at = whole.find(pair.answer, asked + len(pair.question)) if asked >= 0 else -1
        if at >= 0 and 0 < start - at <= len(letters(pair.word)) and whole.endswith(taught):
            part = start - at < len(letters(pair.word))
            return pair.word if _counted(row, pair, begins, tokenizer, ended=part) else ""
    return ""


def _counted(row: Row, pair: Pair, begins: int, tokenizer: Any, *, ended: bool) -> bool:
    """Whether the mask is as long as the tokens of the prompt alone, or with an eos if `ended`.

    Another one may leave out the word on purpose, such as a name, or a language.
    """
    prompt, found, _ = tokenizer.decode(row["input_ids"]).rpartition(pair.said)
    counts = {
        len(tokenizer(prompt, add_special_tokens=marks)["input_ids"]) for marks in (False, True)
    }
    return bool(found) and (begins in counts or (ended and begins - 1 in counts))
