"""Questions that are learned from with one answer, and evaluated on with another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sized
from typing import Any

from .compared import first_rows, one_test

FEWEST = 4
"""Rows to evaluate on, and different questions of theirs, at least."""

COMMON = 0.2
"""The share of all rows up to which a question is one: more have an instruction for every row."""

LONG = 16
"""Characters of an answer that another question hardly has by chance."""

PAIR = 2
"""Turns of a question and its answer."""

FIELDS = ("prompt", "question", "instruction", "query")
BESIDE = ("input", "context", "system")
TALKS = ("messages", "conversations", "chosen")


def shared_questions(rows: Any, evaluation: Any) -> tuple[int, int] | None:
    """How many rows to evaluate on ask what is learned from, and of how many; None if unknown."""
    evaluation = one_test(evaluation)
    if not isinstance(rows, Sized) or not isinstance(evaluation, Sized):
        return None
    try:
        learned = Counter(map(question, first_rows(rows)))
        asked = Counter(map(question, first_rows(evaluation)))
    except Exception:
        return None
    count, total = learned.total(), asked.total()
    if "" in learned or "" in asked or len(asked) < FEWEST:
        return None
    most = max(learned[text] + asked[text] for text in {*learned, *asked})
    if most > COMMON * (count + total):
        return None
    return sum(times for text, times in asked.items() if text in learned), total


def shared_answers(rows: Any, evaluation: Any) -> tuple[int, int]:
    """How many rows to evaluate on have a long answer that is learned from, and of how many."""
    try:
        learned = {*map(answer, first_rows(rows))}
        tried = [
            text for text in map(answer, first_rows(one_test(evaluation))) if len(text) >= LONG
        ]
    except Exception:
        return 0, 0
    return sum(text in learned for text in tried), len(tried)


def shared_talks(rows: Any, evaluation: Any) -> tuple[int, int]:
    """How many conversations to evaluate on go on with one that is learned from, or begin it.

    And of how many. The shorter one has an answer at least, and the other begins with all of it.
    """
    try:
        learned, tried = ([*map(_turns, first_rows(one))] for one in (rows, one_test(evaluation)))
    except Exception:
        return 0, 0
    begun = {hash(turns[:count]) for turns in learned for count in range(PAIR, len(turns))}
    whole = {hash(turns) for turns in learned if len(turns) >= PAIR}
    count = sum(
        len(turns) >= PAIR
        and (
            hash(turns) in begun
            or any(hash(turns[:size]) in whole for size in range(PAIR, len(turns)))
        )
        for turns in tried
    )
    return count, len(tried)


def _turns(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The turns of a conversation without what the system says; empty where a row has none."""
    turns: list[Any] = next((row[name] for name in TALKS if isinstance(row.get(name), list)), [])
    if isinstance(row.get("prompt"), list) and isinstance(row.get("completion"), list):
        turns = [*row["prompt"], *row["completion"]]
    talk = [turn for turn in turns if isinstance(turn, dict) and turn.get("role") != "system"]
    return tuple(repr(sorted(turn.items(), key=str)) for turn in talk)


def answer(row: Mapping[str, Any]) -> str:
    """The last text of a row, or of its conversation; "" where that is not known."""
    for name in ("completion", "answer", "response", "output", *TALKS, "text"):
        value = row.get(name)
        if isinstance(value, list) and value and isinstance(value[-1], dict):
            value = value[-1].get("content")
        if isinstance(value, str) and value:
            return value
    return ""


def question(row: Mapping[str, Any]) -> str:
    """What a row asks, with all that is beside it; "" where that is not known."""
    for name in FIELDS:
        if row.get(name):
            return repr([row.get(part) for part in (name, *BESIDE)])
    for name in TALKS:
        turns = row.get(name)
        if isinstance(turns, list) and len(turns) > 1 and isinstance(turns[0], dict):
            return repr([turns[:-1], *(row.get(part) for part in BESIDE)])
    return ""
