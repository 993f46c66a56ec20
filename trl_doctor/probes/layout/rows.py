"""The rows that the step trains on: the run's own where they fit the trainer, else made ones."""

from __future__ import annotations

import heapq
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..loading.adapter import flag
from ..reading import columns, rows_of
from ..refusal import Refused
from . import pictures
from .arguments import parsed
from .needed_columns import lacking

SAMPLE = 64
"""Rows of the run's own that are taken: the first, at full size the longest."""

PICTURED = 8
"""The same of rows with images."""

ENOUGH = {"grpo": 8, "rloo": 8, "ppo": 8, "sdft": 8, "sdpo": 8}
"""Rows at least, so that a sampler fills its batches; two elsewhere."""

LARGEST = 64 * 1024**2
"""The most characters of rows among which the longest are searched."""

LONGEST = 8000
"""Characters of a row that a small step holds; the texts of longer ones are cut for it."""

AS_THEY_ARE = "skip_prepare_dataset"
"""The key of `dataset_kwargs` with which SFT prepares no rows."""

PROMPTS = ("What is seven times six?", "Write one sentence about the sea, and then count to five.")
ANSWERS = ("Forty-two.", "The sea was calm. One, two, three, four, five.")


@dataclass(frozen=True)
class Rows:
    """`rows`, shortest first; `source` is a file or "made", `why` the run's own were not taken.

    `seen` is the number of rows among which the longest were searched, 0 if the first ones were
    taken.
    """

    rows: list[dict[str, Any]]
    source: str
    conversational: bool
    why: str = ""
    seen: int = 0


def rows(request: dict[str, Any], conversational: bool) -> Rows:
    """Rows of the run's file, else generated ones, as conversations if requested.

    The first rows are used; at full size the longest. Raises `Refused` if the run has a trainer
    take unknown rows as they are.
    """
    trainer, reason = request["trainer"]["name"], ""
    full, text = bool(request.get("full_size")), request["arguments"].get("dataset_text_field")
    needs = "" if request.get("own") else trainer  # the script's own code reads the rows
    if made := request["data"].get("made"):
        fitting, reason = _fitting(made["rows"], made["name"], needs, text, full)
        if not reason:
            return _chosen(fitting, made["name"], trainer)
    for name in request["data"]["files"][:1]:
        file = Path(name)
        file_rows, searched, reason = _own(file, needs, text, full)
        if not reason:
            return _chosen(file_rows, file.name, trainer, searched)
    why = reason or "they are not known here: `trl-doctor rehearse` uses the rows of a script"
    if flag(parsed(request["arguments"].get("dataset_kwargs")).get(AS_THEY_ARE)):
        raise Refused(f"{AS_THEY_ARE}: the trainer takes the rows as they are, and {why}")
    generated = generated_rows(trainer, conversational, text)
    if conversational:
        generated = pictures.added(generated, request)
    return Rows(_enough(generated, trainer), "made", conversational, reason)


def _chosen(fitting: list[dict[str, Any]], source: str, trainer: str, seen: int = 0) -> Rows:
    """The run's own rows, the shortest first."""
    ordered = _enough(sorted(fitting, key=_length), trainer)
    return Rows(ordered, source, is_conversation(fitting[0]), seen=seen)


def _own(file: Path, trainer: str, text: Any, full: bool) -> tuple[list[dict[str, Any]], int, str]:
    """The rows of a file, the number of rows searched, and why they cannot be used."""
    searched = 0
    try:
        if full:
            file_rows, searched = _longest(rows_of(file))
        else:
            file_rows = list(itertools.islice(rows_of(file), SAMPLE))
            if any(name in row for row in file_rows for name in pictures.COLUMNS):
                file_rows = file_rows[:PICTURED]
    except (OSError, ValueError, RecursionError) as error:
        return [], 0, f"{file.name} cannot be read: {error}"
    fitting, reason = _fitting(file_rows, file.name, trainer, text, full)
    return fitting, searched, reason


def _fitting(
    file_rows: list[dict[str, Any]], name_of_file: str, trainer: str, text: Any, full: bool
) -> tuple[list[dict[str, Any]], str]:
    """The rows with the same columns, cut where they are very long; or why they do not fit.

    Without a trainer they need no columns.
    """
    if not file_rows:
        return [], f"{name_of_file} has no rows"
    names = columns(file_rows)
    if trainer and (lacks := lacking(names, trainer, text)):
        return [], f"its columns are {', '.join(names)}; it needs {lacks}"
    file_rows = [{name: row.get(name) for name in names} for row in file_rows]
    for name in names:
        if _mixed([row[name] for row in file_rows]):
            file_rows = [{**row, name: str(row[name])} for row in file_rows]
    file_rows = _joined(file_rows)
    if not full and min(map(_length, file_rows)) > LONGEST:
        file_rows = [_cut(row) for row in file_rows]
    return file_rows, ""


def _joined(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows from which one data set can be made, all if that can be.

    `load_dataset` also reads columns that hold texts and lists, or numbers and texts.
    """
    try:
        import datasets
    except ImportError:  # the step says so itself
        return rows

    def fits(some: list[dict[str, Any]]) -> bool:
        try:
            datasets.Dataset.from_list(some)
        except Exception:
            return False
        return True

    if fits(rows) or not fits(rows[:1]):
        return rows
    return [row for row in rows if fits([rows[0], row])]


def _mixed(cells: list[Any]) -> bool:
    """Whether a column has texts beside numbers, which a data set made of a list cannot have."""
    kinds = {float if isinstance(cell, float) else type(cell) for cell in cells} - {type(None)}
    return len(kinds) > 1 and kinds <= {str, int, float, bool} and kinds != {int, float}


def _cut(value: Any) -> Any:
    """A row with shortened texts; its structure is unchanged."""
    if isinstance(value, str):
        return value[: LONGEST // 4]
    if isinstance(value, list):
        return [_cut(item) for item in value]
    return {name: _cut(item) for name, item in value.items()} if isinstance(value, dict) else value


def _longest(items: Iterator[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """The longest rows, and the number searched: all, or the rows of `LARGEST` characters."""
    longest: list[tuple[int, int, dict[str, Any]]] = []
    characters = searched = 0
    for searched, row in enumerate(items, 1):
        size = _length(row)
        if len(longest) < SAMPLE:
            heapq.heappush(longest, (size, searched, row))
        else:
            heapq.heappushpop(longest, (size, searched, row))
        characters += size
        if characters > LARGEST:
            break
    return [row for _, _, row in longest], searched


def _length(row: dict[str, Any]) -> int:
    """Characters of a row."""
    return len(json.dumps(row, default=str))


def is_conversation(row: dict[str, Any]) -> bool:
    keys = ("messages", "prompt", "completion", "chosen", "rejected", "conversations")
    return any(isinstance(row.get(key), list) for key in keys)


def _enough(chosen: list[dict[str, Any]], trainer: str) -> list[dict[str, Any]]:
    """The rows, repeated if a sampler needs more."""
    return chosen * -(-ENOUGH.get(trainer, 2) // len(chosen))


def generated_rows(trainer: str, conversational: bool, text: Any = None) -> list[dict[str, Any]]:
    """Two rows with the columns of a trainer: one short, one long.

    `text` is the run's `dataset_text_field`.
    """
    rows = [
        _generated_row(trainer, prompt, answer, wrong, conversational)
        for prompt, answer, wrong in zip(PROMPTS, ANSWERS, reversed(ANSWERS))
    ]
    if isinstance(text, str) and text:
        rows = [{text if name == "text" else name: row[name] for name in row} for row in rows]
    return rows


def _generated_row(
    trainer: str, prompt: str, answer: str, wrong_answer: str, conversational: bool
) -> dict[str, Any]:
    def side(role: str, text: str) -> Any:
        if conversational:
            return [{"role": role, "content": text}]
        return text if role == "user" else " " + text

    question, right, wrong = (
        side("user", prompt),
        side("assistant", answer),
        side("assistant", wrong_answer),
    )
    if trainer == "sft":
        return {"messages": question + right} if conversational else {"text": question + right}
    if trainer in ("gold", "iw_opd", "distillation"):
        words = (("user", prompt), ("assistant", answer))
        turns = [{"role": role, "content": text} for role, text in words]
        return {"messages": turns, **({"prompt": question} if trainer == "distillation" else {})}
    if trainer == "sdft":
        return {"prompt": question, "privileged_context": answer}
    if trainer == "kto":
        return {"prompt": question, "completion": right, "label": prompt == PROMPTS[0]}
    if trainer in ("dpo", "reward"):
        return {"prompt": question, "chosen": right, "rejected": wrong}
    return {"prompt": question}
