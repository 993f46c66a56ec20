"""Labels of a script's own that leave out the first token of every answer in a conversation.

A mask that begins one too late, behind the mark of the chat template. The first token is often only
a part of a word, and no mask leaves that out on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..begun import Turns, turns_of
from ..sources import Row
from .own_labels import labelled, learned

FEWEST, MANY = 3, 6
"""Different tokens that are lost, at least: where one is a part of a word, and where none is."""


class Answer(NamedTuple):
    """The first token of an answer as text, whether a word goes on behind it, and the answer.

    `lost`: the token has no label, and all tokens behind it have.
    """

    token: str
    part: bool
    lost: bool
    said: str


def first_tokens_lost(rows: Any, tokenizer: Any) -> list[str] | None:
    """How many answers, of how many, the first token of one, and that answer."""
    first, turns = labelled(rows), turns_of(tokenizer)
    if turns is None:
        return None
    answers = [answer for row in first for answer in _answers(row, tokenizer, turns)]
    tokens = {answer.token for answer in answers}
    enough = FEWEST if any(answer.part for answer in answers) else MANY
    if len(tokens) < enough or not all(answer.lost for answer in answers):
        return None
    shown = next((answer for answer in answers if answer.part), answers[0])
    return [str(len(answers)), str(len(answers)), shown.token.strip(), shown.said]


def _answers(row: Row, tokenizer: Any, turns: Turns) -> Iterator[Answer]:
    """The answers of a row that are learned, as far as they have more than one token."""
    ids, kept = row["input_ids"], learned(row)
    ends = [
        len(tokenizer.decode(ids[:at], skip_special_tokens=False)) for at in range(len(ids) + 1)
    ]
    text, at = tokenizer.decode(ids, skip_special_tokens=False), 0
    while (at := text.find(turns.answers, at)) >= 0:
        at += len(turns.answers)
        stop = text.find(turns.ends, at)
        begins = at + len(text[at:]) - len(text[at:].lstrip())
        start, end = (
            max(n for n, end in enumerate(ends) if end <= place) for place in (begins, stop)
        )
        if end - start > 1 and any(kept[start:end]):
            token, rest = text[begins : ends[start + 1]], text[ends[start + 1] : stop]
            part = token[-1:].isalpha() and rest[:1].isalpha()
            lost = not kept[start] and all(kept[start + 1 : end])
            yield Answer(token, part, lost, text[begins:stop].strip()[:60])
