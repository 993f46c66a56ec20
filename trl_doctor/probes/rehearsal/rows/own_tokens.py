"""Rows that a script tokenizes itself: added tokens in pieces, labels that begin inside a text."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...reading import texts
from ..record import Mistake
from .begun import opened
from .intent import says
from .letters import letters
from .lost_turns import turns
from .sources import Row

COMPARED, FEWEST = 32, 5
"""Rows that are compared at most, and rows that show a mistake at least."""

SHARE = 0.5
"""The share of the rows with a mask whose labels begin inside a text, at least."""

SAME = 0.6
"""The share of them that have the same character before the first label, if it is a mark."""

SHOWN = 60
"""Characters of the end of a row that are shown."""

ANSWERING, LONG = ("assistant", "gpt", "model"), 12
"""Who answers in a conversation, and the letters of an answer that is looked for, at least."""

ANSWERED = 0.8
"""The share of the conversations whose last answer is in the row."""

NEAR = 40
"""Letters behind an answer with which a query ends: later ones are another question."""

PREFIX = re.compile(r"prefix[ _-]?(lm|language)|\b(randint|randrange|random\.random|uniform)\(")
"""Code that divides texts at places that it draws."""

IGNORED = -100
SHORTEST = 6
"""Letters of a text that is looked for in the rows, at least."""


def mistakes(read: list[list[Row]], rows: Any, tokenizer: Any) -> Iterator[Mistake]:
    """Mistakes in rows that come with their own token ids; nothing for other rows."""
    try:
        own = [row for row in itertools.islice(iter(rows), COMPARED) if "input_ids" in row]
        pieces = _in_pieces(own, tokenizer) if own else []
        inside = _inside(read, own, tokenizer) if own else None
        queries = own if own and "labels" not in own[0] else []
        finished = _finished(queries, tokenizer)
        answered = [] if finished else _answered(read, queries, tokenizer)
    except Exception:  # rows of another kind
        return
    if finished:
        yield Mistake("finished queries", [finished, str(len(own))])
    if answered:
        yield Mistake("answered queries", answered)
    if pieces:
        yield Mistake("added tokens in pieces", pieces)
    if inside:
        yield Mistake("labels begin inside texts", list(inside))


def unknown(rows: Any, tokenizer: Any, added: set[str]) -> list[str]:
    """The tokens that the script has added elsewhere: texts of rows have them, the trainer not."""
    try:
        lacking = added - {*tokenizer.get_vocab()}
        first = itertools.islice(iter(rows), COMPARED) if lacking else ()
        count = Counter(token for row in first for text in {"\n".join(texts(row))}
                        for token in lacking if token in text)  # fmt: skip
    except Exception:  # rows or a tokenizer of another kind
        return []
    return sorted(token for token, times in count.items() if times >= FEWEST)


def _finished(rows: list[Row], tokenizer: Any) -> str:
    """The end of a row, where all rows end with the token that ends an answer; else "".

    Not where the chat template has an answer begin right behind this token, as that of DialoGPT.
    """
    eos = getattr(tokenizer, "eos_token", None)
    if not eos or len(rows) < FEWEST or opened(tokenizer).endswith(eos):
        return ""
    ends = [tokenizer.decode(row["input_ids"], skip_special_tokens=False).rstrip() for row in rows]
    return ends[0][-SHOWN:] if all(end.endswith(eos) for end in ends) else ""


def _answered(read: list[list[Row]], rows: list[Row], tokenizer: Any) -> list[str]:
    """The last answer of a conversation, and how many rows have theirs; empty for few."""
    shown = [letters(tokenizer.decode(row["input_ids"])) for row in rows]
    asked, answers = 0, list[str]()
    for record in itertools.chain(*read) if shown else ():
        talk = turns(record)
        if len(talk) < 2 or talk[-1][0] not in ANSWERING or len(letters(talk[-1][1])) < LONG:
            continue
        question, answer = (letters(talk[at][1]) for at in (-2, -1))
        for text in shown:
            if question and question in text:
                asked += 1
                ends = answer in text[-len(answer) - NEAR :]
                answers += [talk[-1][1]] if ends else []
    if len(answers) < max(FEWEST, ANSWERED * asked):
        return []
    return [answers[0][-SHOWN:], str(len(answers)), str(asked)]


def _in_pieces(rows: list[Row], tokenizer: Any) -> list[str]:
    """The added tokens that the tokenizer makes of the texts of rows, and that no row has."""
    missed, had = set[str](), set[int]()
    added = tokenizer.get_added_vocab()
    for row in rows:
        whole = tokenizer.decode(row["input_ids"], skip_special_tokens=False)
        now = {*tokenizer(whole, add_special_tokens=False)["input_ids"]}
        had |= {*row["input_ids"]}
        missed |= {text for text, id in added.items() if text in whole and id in now - had}
    return sorted(text for text in missed if added[text] not in had)


def _inside(read: list[list[Row]], rows: list[Row], tokenizer: Any) -> tuple[str, str] | None:
    """What is before the first label and what begins with it, in a row where that is inside a text.

    None unless this is so in most rows, behind different characters: before labels that begin at
    a mark inside a text the same one is found.
    """
    parts = _parts(read)
    divided, sizes = list[tuple[str, str]](), list[tuple[int, int]]()
    for row in rows:
        kept = _first_label(row)
        if not kept:
            continue
        sizes.append((kept, len(row["input_ids"])))
        before = tokenizer.decode(row["input_ids"][:kept], skip_special_tokens=False)
        whole = tokenizer.decode(row["input_ids"], skip_special_tokens=False)
        if _begins_inside(whole, parts, len(before)):
            divided.append((before, whole[len(before) :]))
    enough = len(divided) >= FEWEST and len(divided) >= SHARE * len(sizes)
    marks = Counter(before.rstrip()[-1:] for before, _ in divided)
    if not enough or _same_share(sizes):
        return None
    if max(marks.values()) >= SAME * len(divided) or _last_words(divided) or says(PREFIX):
        return None
    return divided[0]


def _last_words(divided: list[tuple[str, str]]) -> bool:
    """Whether the labels of each row are the same number of whole words, as the last one."""
    whole = all(rest[:1].isspace() or before[-1:].isspace() for before, rest in divided)
    return whole and len({len(rest.split()) for _, rest in divided}) == 1


def _same_share(sizes: list[tuple[int, int]]) -> bool:
    """Whether rows of different lengths are masked up to the same part: their first half."""
    lengths = [length for _, length in sizes]
    share = max(sizes, key=lambda size: size[1])[0] / max(lengths)
    return len(set(lengths)) > 1 and all(abs(kept - share * length) <= 1 for kept, length in sizes)


def _first_label(row: Row) -> int:
    """How many tokens are masked before the first one with a loss; 0 for rows without a mask."""
    labels = row.get("labels") or [one or IGNORED for one in row.get("completion_mask") or ()]
    return next((at for at, label in enumerate(labels) if label != IGNORED), 0)


def _begins_inside(whole: str, parts: list[str], at: int) -> bool:
    """Whether labels that begin at a place divide a text, or have several whole texts.

    These are a question and its answer: the mask ends in what stands before both of them.
    """
    inside = [text for text in parts if text in whole]
    ahead = sum(whole.find(text) > at for text in inside)
    return ahead > 1 or any(_divides(whole, text, at) for text in inside)


def _parts(read: list[list[Row]]) -> list[str]:
    """The texts of the rows that were read, without those that have another one in them."""
    found = [
        text.strip()
        for raw in read
        for row in raw[:COMPARED]
        for own in [[text for text in texts(row) if len(text.strip()) >= SHORTEST]]
        for text in own * (len(own) > 1)  # one text alone may be continued from anywhere
        if not any(other != text and other.strip() in text for other in own)
    ]
    return list(dict.fromkeys(found))


def _divides(whole: str, text: str, at: int) -> bool:
    """Whether a place is inside a text, with at least a character of it on each side."""
    start = whole.find(text)
    return start + 1 < at < start + len(text) - 1
