"""The rows that the step trains on: the run's own where they fit the trainer, else made ones."""

from __future__ import annotations

import heapq
import itertools
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..reading import columns, read
from . import pictures

SAMPLE = 64
"""Rows of the run's own that are taken: the first, at full size the longest."""

PICTURED = 8
"""The same of rows with images."""

ENOUGH = {"grpo": 8, "rloo": 8, "ppo": 8}
"""Rows at least, so that a sampler fills its batches; two elsewhere."""

LARGEST = 64 * 1024**2
"""Characters of the rows that the longest are sought among."""

LONGEST = 8000
"""Characters of a row that a small step holds; the texts of longer ones are cut for it."""

COLUMNS: dict[str, tuple[tuple[str, ...], ...]] = {
    "grpo": (("prompt",),),
    "rloo": (("prompt",),),
    "ppo": (("prompt",), ("messages",)),
    "sft": (("messages",), ("text",), ("prompt", "completion"), ("conversations",)),
    "dpo": (("chosen", "rejected"),),
    "kto": (("prompt", "completion", "label"), ("chosen", "rejected")),
    "reward": (("chosen", "rejected"),),
    "online_dpo": (("prompt",),),
}
"""The columns of which a trainer needs one group."""

WITH_ENGINE = ("online_dpo",)
"""Trainers that take a step only where vLLM generates."""

TEXT, OLD = ("text",), ("conversations",)
"""What `dataset_text_field` renames, and what old releases read and nobody is asked for."""

TOKENS = {
    "sft": (("input_ids",),),
    "reward": (("chosen_input_ids", "rejected_input_ids"), ("input_ids_chosen",),
               ("chosen_ids", "rejected_ids")),
}  # fmt: skip
"""What they take as well: rows that are tokens already."""

PROMPTS = ("What is seven times six?", "Write one sentence about the sea, and then count to five.")
ANSWERS = ("Forty-two.", "The sea was calm. One, two, three, four, five.")


@dataclass(frozen=True)
class Rows:
    """`rows`, shortest first; `source` is a file or "made", `why` the run's own were not taken.

    `seen` is how many rows the longest were sought among, 0 where the first ones were taken.
    """

    rows: list[dict[str, Any]]
    source: str
    conversational: bool
    why: str = ""
    seen: int = 0


def rows(request: dict[str, Any], conversational: bool) -> Rows:
    """Rows of the run's file, else made ones, as conversations where that is asked.

    The first rows are taken; at full size the longest.
    """
    trainer, why = request["trainer"]["name"], ""
    full, text = bool(request.get("full_size")), request["arguments"].get("dataset_text_field")
    for name in request["data"]["files"][:1]:
        file = Path(name)
        found, seen, why = _own(file, trainer, text, full)
        if not why:
            ordered = _enough(sorted(found, key=_length), trainer)
            return Rows(ordered, file.name, is_conversation(found[0]), seen=seen)
    own = made(trainer, conversational)
    if conversational:
        own = pictures.added(own, request)
    return Rows(_enough(own, trainer), "made", conversational, why)


def _own(file: Path, trainer: str, text: Any, full: bool) -> tuple[list[dict[str, Any]], int, str]:
    """The rows of a file, how many they were sought among, and why they cannot be taken."""
    seen = 0
    try:
        if full:
            found, seen = _longest(read(file))
        else:
            found = list(itertools.islice(read(file), SAMPLE))
            if any(name in row for row in found for name in pictures.COLUMNS):
                found = found[:PICTURED]
    except (OSError, ValueError, RecursionError) as error:
        return [], 0, f"{file.name} cannot be read: {error}"
    if not found:
        return [], 0, f"{file.name} has no rows"
    names = columns(found)
    if lacks := lacking(names, trainer, text):
        return [], 0, f"its columns are {', '.join(names)}; it needs {lacks}"
    found = [{name: row.get(name) for name in names} for row in found]
    if not full and min(map(_length, found)) > LONGEST:
        found = [_cut(row) for row in found]
    return found, seen, ""


def _cut(value: Any) -> Any:
    """A row whose texts are cut; its parts remain."""
    if isinstance(value, str):
        return value[: LONGEST // 4]
    if isinstance(value, list):
        return [_cut(one) for one in value]
    return {name: _cut(one) for name, one in value.items()} if isinstance(value, dict) else value


def lacking(columns: Collection[str], trainer: str, text: Any) -> str:
    """The columns of which a trainer needs one group, in words, where it has none of them.

    `text` is what the run says of `dataset_text_field`.
    """
    named = (text,) if isinstance(text, str) else TEXT
    groups = [named if group == TEXT else group for group in COLUMNS[trainer]]
    if any(set(group) <= set(columns) for group in (*groups, *TOKENS.get(trainer, ()))):
        return ""
    words = [" + ".join(group) for group in groups if group != OLD]
    return f"{', '.join(words[:-1])}, or {words[-1]}" if len(words) > 1 else words[0]


def _longest(items: Iterator[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """The longest rows, and among how many: all, or as many as `LARGEST` characters hold."""
    kept: list[tuple[int, int, dict[str, Any]]] = []
    taken = seen = 0
    for seen, row in enumerate(items, 1):
        size = _length(row)
        if len(kept) < SAMPLE:
            heapq.heappush(kept, (size, seen, row))
        else:
            heapq.heappushpop(kept, (size, seen, row))
        taken += size
        if taken > LARGEST:
            break
    return [row for _, _, row in kept], seen


def _length(row: dict[str, Any]) -> int:
    """Characters of a row."""
    return len(json.dumps(row, default=str))


def is_conversation(row: dict[str, Any]) -> bool:
    keys = ("messages", "prompt", "completion", "chosen", "rejected", "conversations")
    return any(isinstance(row.get(key), list) for key in keys)


def _enough(found: list[dict[str, Any]], trainer: str) -> list[dict[str, Any]]:
    """The rows, again and again where a sampler needs more."""
    return found * -(-ENOUGH.get(trainer, 2) // len(found))


def made(trainer: str, conversational: bool) -> list[dict[str, Any]]:
    """Two rows with the columns of a trainer: one short, one long."""
    return [
        _made(trainer, prompt, answer, other, conversational)
        for prompt, answer, other in zip(PROMPTS, ANSWERS, reversed(ANSWERS))
    ]


def _made(
    trainer: str, prompt: str, answer: str, other: str, conversational: bool
) -> dict[str, Any]:
    def said(role: str, text: str) -> Any:
        if conversational:
            return [{"role": role, "content": text}]
        return text if role == "user" else " " + text

    asked, right, wrong = said("user", prompt), said("assistant", answer), said("assistant", other)
    if trainer == "sft":
        return {"messages": asked + right} if conversational else {"text": asked + right}
    if trainer == "kto":
        return {"prompt": asked, "completion": right, "label": prompt == PROMPTS[0]}
    if trainer in ("dpo", "reward"):
        return {"prompt": asked, "chosen": right, "rejected": wrong}
    return {"prompt": asked}
