"""Questions that a script's own collator learns, where the script says that it learns answers."""

from __future__ import annotations

import contextlib
import linecache
import re
from collections.abc import Iterator
from typing import Any

from ....processing import processing_of, tokenizer_of
from ....watching.labels import collator_rows, prepared
from ...kinds import LIBRARIES, package_of
from ...record import Mistake
from ...rows.begun import turns_of
from ...rows.excerpt import excerpt
from ...where import At, own_files
from .learned_rows import learned_parts

COMPARED, FEWEST = 8, 2
"""Rows of a batch that are looked at, at most and at least."""

MARKS = re.compile(r"<[^<>]*>|\[[A-Z_]+\]")
"""Special tokens in a text, as those of images."""

ANSWER = (
    r"(?:assistant|answers?|responses?|completions?|repl(?:y|ies)|captions?)(?:'s)?\b"
    r"(?: (?:answers?|repl(?:y|ies)|responses?|tokens?|turns?|messages?|texts?|parts?))?"
)
QUESTION = r"(?:prompts?|questions?|users?|instructions?)\b(?![ _-]*(?:pad|image|template))"
LEARNS = r"\b(?:loss|labels?|train\w*|learn\w*|supervis\w*)\b"

SWITCH = re.compile(
    r"\b(?:mask_(?:the_)?(?:prompt|question|user|instruction)s?"
    r"|(?:assistant|answer|response|completion)s?_only(?:_loss)?)\b\s*(?::\s*bool\s*)?=\s*True\b"
    r"|\btrain_on_(?:input|prompt|question)s?\b\s*(?::\s*bool\s*)?=\s*False\b",
    re.IGNORECASE,
)
"""A setting that only answers are learned."""

ONLY = re.compile(
    rf"{LEARNS}[^.#]{{0,20}}\b(?:only|just|solely) (?:on|over|for) (?:the )?{ANSWER}"
    rf"|{LEARNS}[^.#]{{0,20}} (?:on|over) (?:the )?{ANSWER} (?:only|alone)\b"
    rf"|\b(?:only|just) (?:the )?{ANSWER}[^.#]{{0,30}}\b(?:loss|labels?|learn(?:ed|t)|trained)\b"
    rf"|\bmask(?:s|ed|ing)?(?: out)?(?: the| all)? {QUESTION}"
    rf"|\b(?:ignore|exclude)[sd]?(?: the| all)? {QUESTION}[^.#]{{0,30}}\b(?:loss|labels?|-100)",
    re.IGNORECASE,
)
"""Words which say that only answers are learned."""

OTHERWISE = re.compile(
    r"\bnot\b|n't\b|\bno\b|\bwithout\b|\btodo\b|\bfixme\b|\bcould\b|\boptional|\binstead\b|\bfalse\b"
    r"|\bif\b|\bwhether\b|\?|\bboth\b|\bnever\b",
    re.IGNORECASE,
)
"""Words with which a line may say something else."""


def of_questions(trainer: Any) -> Iterator[Mistake]:
    """How many rows learn what the user says, of how many, and the line that says otherwise."""
    if getattr(trainer.args, "packing", False):
        return
    if package_of(getattr(trainer, "data_collator", None)) in {"", "torch", *LIBRARIES}:
        return
    with contextlib.suppress(Exception):  # rows, a collator or a template of another kind
        data = collator_rows(trainer)
        rows = [data[at] for at in range(min(len(data), COMPARED))]
        texts = [learned_text(trainer, ids) for ids in learned_parts(prepared(trainer, rows))]
        asked = [text for text in texts if _asks(trainer, text)]
        stated = _stated() if FEWEST <= len(asked) == len(rows) else None
        if stated is not None:
            line, at = stated
            yield Mistake("questions learned", [str(len(asked)), str(len(rows)), line], at)


def learned_text(trainer: Any, ids: list[int]) -> str:
    """What a row learns, with its special tokens."""
    return str(tokenizer_of(trainer).decode(ids, skip_special_tokens=False))


def _asks(trainer: Any, text: str) -> bool:
    """Whether a text has a turn of the user with words in it."""
    words = tokenizer_of(trainer)
    turns = turns_of(words if getattr(words, "chat_template", None) else processing_of(trainer))
    if turns is None:
        return False
    found = re.search(rf"{re.escape(turns.asks)}(.*?){re.escape(turns.ends)}", text, re.DOTALL)
    return found is not None and any(map(str.isalpha, MARKS.sub("", found[1])))


def says_answers_only(line: str) -> bool:
    """Whether a line of code or of a comment says that only answers are learned."""
    said = ONLY.search(line) is not None and OTHERWISE.search(line) is None
    return said or SWITCH.search(line) is not None


def _stated() -> tuple[str, At] | None:
    """The first line of the user's code which says that only answers are learned."""
    for file in own_files():
        for number, line in enumerate(linecache.getlines(file), 1):
            if says_answers_only(line):
                return excerpt(line.strip().lstrip("#").strip(), 80), (file, number)
    return None
