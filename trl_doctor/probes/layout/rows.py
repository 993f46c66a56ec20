"""The rows that the step trains on: the run's own where they fit the trainer, else made ones."""

from __future__ import annotations

import heapq
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SAMPLE = 64
"""Rows of the run's own that are taken: the first, at full size the longest."""

ENOUGH = {"grpo": 8, "rloo": 8, "ppo": 8}
"""Rows at least, so that a sampler fills its batches; two elsewhere."""

LARGEST = 64 * 1024**2
"""Bytes of a file that is one JSON array, and of the rows that the longest are sought among."""

LONGEST = 8000
"""Characters of the shortest rows: a tiny step cannot hold longer ones."""

COLUMNS: dict[str, tuple[tuple[str, ...], ...]] = {
    "grpo": (("prompt",),),
    "rloo": (("prompt",),),
    "ppo": (("prompt",), ("messages",)),
    "sft": (("messages",), ("prompt", "completion"), ("text",), ("conversations",)),
    "dpo": (("chosen", "rejected"),),
    "kto": (("prompt", "completion", "label"), ("chosen", "rejected")),
    "reward": (("chosen", "rejected"),),
}
"""The columns of which a trainer needs one group."""

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
            return Rows(ordered, file.name, _is_conversation(found[0]), seen=seen)
    return Rows(_enough(made(trainer, conversational), trainer), "made", conversational, why)


def _own(file: Path, trainer: str, text: Any, full: bool) -> tuple[list[dict[str, Any]], int, str]:
    """The rows of a file, how many they were sought among, and why they cannot be taken."""
    seen = 0
    try:
        if full:
            found, seen = _longest(_read(file))
        else:
            found = list(itertools.islice(_read(file), SAMPLE))
    except (OSError, ValueError, RecursionError) as error:
        return [], 0, f"{file.name} cannot be read: {error}"
    groups = COLUMNS[trainer] + (((text,),) if isinstance(text, str) and trainer == "sft" else ())
    if not found or not any(all(all(c in row for c in group) for row in found) for group in groups):
        wanted = " or ".join(" + ".join(group) for group in groups)
        return [], 0, f"{file.name} has no rows with {wanted}"
    if not full and min(map(_length, found)) > LONGEST:
        return [], 0, f"the rows of {file.name} are too long for a small step"
    names = list(dict.fromkeys(name for row in found for name in row))
    return [{name: row.get(name) for name in names} for row in found], seen, ""


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
    return len(json.dumps(row))


def _read(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        start = lines.read(256).lstrip()
        lines.seek(0)
        if start.startswith("["):
            if file.stat().st_size > LARGEST:
                raise ValueError("it is too large")
            items: Any = json.load(lines)
        else:
            items = (json.loads(line) for line in lines if line.strip())
        for item in items:
            if not isinstance(item, dict):
                raise ValueError("a row is no mapping")
            yield item


def _is_conversation(row: dict[str, Any]) -> bool:
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
