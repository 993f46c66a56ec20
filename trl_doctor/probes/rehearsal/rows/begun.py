"""Prompts of trainers that generate: whether the model goes on where its answer begins."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..kinds import names_of
from ..record import Mistake

GENERATE = frozenset({"GRPOTrainer", "RLOOTrainer", "OnlineDPOTrainer", "XPOTrainer",
                      "NashMDTrainer", "PPOTrainer"})  # fmt: skip
"""Trainers whose model answers the prompts of the rows."""

COMPARED, FEWEST, SHARE = 64, 3, 0.5
"""Rows that are looked at; how many of them, and which share, show a mistake."""

SHORTEST = 2
"""Letters with which all turns begin, at least."""

SHOWN = 60
"""Characters of the end of a prompt that are shown."""

QUESTION = "xqx"
"""A text that no template has."""


def wrongly_begun(rows: Any, trainer: Any, tokenizer: Any) -> Iterator[Mistake]:
    """Mistakes of the ends of prompts that are texts, or token ids of the script's own."""
    rolls = getattr(trainer, "rollout_func", None) is not None  # it begins the answer itself
    if rolls or GENERATE.isdisjoint(names_of(trainer)):
        return
    try:
        first = list(itertools.islice(iter(rows), COMPARED))
        found = [*_of_texts(first, tokenizer), *_of_ids(first, tokenizer)]
    except Exception:  # rows or a tokenizer of another kind
        return
    for what, ends in found:
        if len(ends) >= max(FEWEST, SHARE * len(first)):
            words = [ends[0][-SHOWN:], str(len(ends)), str(len(first))]
            yield Mistake(what, words)


@dataclass(frozen=True)
class Turns:
    """How the chat template begins and ends a question, and how it begins the answer."""

    asks: str
    ends: str
    answers: str

    @property
    def begins(self) -> str:
        """What the turns of all roles begin with."""
        pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(self.asks, self.answers))
        return "".join(letter for letter, _ in pairs)


def turns_of(tokenizer: Any) -> Turns | None:
    """None if the template does not begin an answer, or has no mark of its own for a question."""
    ask = [{"role": "user", "content": QUESTION}]
    closed = tokenizer.apply_chat_template(ask, tokenize=False)
    opened = tokenizer.apply_chat_template(ask, tokenize=False, add_generation_prompt=True)
    before, _, ends = closed.rpartition(QUESTION)
    asks, answers = before.strip().rpartition("\n")[2], opened[len(closed) :].strip()
    if not opened.startswith(closed) or not asks or not answers or not ends.strip():
        return None
    return Turns(asks, ends.strip(), answers)


def opened(tokenizer: Any) -> str:
    """A question as the chat template renders it for the model to answer; "" without a template."""
    if not getattr(tokenizer, "chat_template", None):
        return ""
    ask = [{"role": "user", "content": QUESTION}]
    try:
        text = tokenizer.apply_chat_template(ask, tokenize=False, add_generation_prompt=True)
    except Exception:  # it wants other turns
        return ""
    return str(text).rstrip()


def _of_texts(rows: list[Any], tokenizer: Any) -> Iterator[tuple[str, list[str]]]:
    prompts = [row["prompt"].rstrip() for row in rows if isinstance(row.get("prompt"), str)]
    turns = turns_of(tokenizer) if prompts else None
    if turns is None:
        return
    own = [text for text in prompts if turns.asks in text]
    yield "prompts not begun", [text for text in own if _is_not_begun(text, turns)]
    yield "prompts begun twice", [text for text in own if _is_begun_twice(text, turns)]


def _is_not_begun(text: str, turns: Turns) -> bool:
    """Whether a prompt ends with the user's turn."""
    return text.endswith(turns.ends) and text.rfind(turns.asks) > text.rfind(turns.answers)


def _is_begun_twice(text: str, turns: Turns) -> bool:
    """Whether the beginning of an answer comes after another answer.

    Between them no other turn is begun, as that of a tool.
    """
    before = text.removesuffix(turns.answers)
    if before == text or before.rfind(turns.answers) < text.rfind(turns.asks):
        return False
    answer = before.rpartition(turns.answers)[2].rstrip()
    alone = answer.replace(turns.ends, "")
    more = len(turns.begins) >= SHORTEST and turns.begins in alone
    return not more and answer.count(turns.ends) == 1 and answer.endswith(turns.ends)


def _of_ids(rows: list[Any], tokenizer: Any) -> Iterator[tuple[str, list[str]]]:
    """Token ids with padding at their ends, where that is no token that ends a turn."""
    pad = tokenizer.pad_token_id
    if pad is None or pad == tokenizer.eos_token_id:
        return
    own = [row["input_ids"] for row in rows if row.get("input_ids") is not None]
    padded = [ids for ids in map(list, own) if ids and ids[-1] == pad != ids[0]]
    yield "queries padded", [str(tokenizer.decode(ids)) for ids in padded]
