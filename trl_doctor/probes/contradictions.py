"""Rows that contradict each other: for the rules, and for a rehearsal that has the whole rows."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

FEWEST, SHARE = 4, 0.5
"""The fewest different answers that are judged, and the share that must contradict itself."""

PAIRS, CROSSED, LONG = 12, 0.8, 20
"""Pairs that are judged, the share that must be crossed, and the characters of an answer."""

MOST = 20_000
"""Rows that are looked at."""

ANSWERS = ("completion", "chosen")


class Both(NamedTuple):
    """`number` of `answers` answers are wanted in one row and not wanted in another."""

    number: int
    answers: int


class Crossed(NamedTuple):
    """`number` of `pairs` pairs share their question with a pair, and their answer with another."""

    number: int
    pairs: int
    questions: int


class Contradictions(NamedTuple):
    """What was found in the rows; None for too few rows of a kind, or too few that are so."""

    both: Both | None
    """Answers with both labels, or pairs both ways round; None unless half of them are so."""

    crossed: Crossed | None
    """Questions that share their several answers, as a join makes them; None if few are so."""


def contradictions(rows: Iterable[Mapping[str, Any]]) -> Contradictions:
    """What rows say of the answers of others; each row is read once."""
    votes: dict[str, set[bool]] = defaultdict(set)
    pairs = set[tuple[str, str]]()
    for row in itertools.islice(rows, MOST):
        if vote := _label(row) if "label" in row else _order(row):
            votes[vote[0]].add(vote[1])
        question, answer = question_and_answer(row)
        if question and len(answer) >= LONG and row.get("label") not in (False, 0):
            pairs.add((question, answer))
    return Contradictions(_both(votes), _crossed(pairs))


def _both(votes: Mapping[str, set[bool]]) -> Both | None:
    both = sum(len(values) == 2 for values in votes.values())
    enough = len(votes) >= FEWEST and both >= SHARE * len(votes)
    return Both(both, len(votes)) if enough else None


def _crossed(pairs: set[tuple[str, str]]) -> Crossed | None:
    answers, questions = defaultdict(set), defaultdict(set)
    for question, answer in pairs:
        answers[question].add(answer)
        questions[answer].add(question)
    both = sum(len(answers[question]) > 1 < len(questions[answer]) for question, answer in pairs)
    enough = len(pairs) >= PAIRS and both >= CROSSED * len(pairs)
    return Crossed(both, len(pairs), len(answers)) if enough else None


def question_and_answer(row: Mapping[str, Any]) -> tuple[str, str]:
    """The last question of a row and the answer to it; empty texts for what it does not have."""
    messages = row.get("messages")
    if isinstance(messages, list):
        return _last_text(messages, "user"), _last_text(messages, "assistant")
    answer = next((row[name] for name in ANSWERS if row.get(name)), None)
    return _last_text(row.get("prompt"), "user"), _last_text(answer, "assistant")


def _label(row: Mapping[str, Any]) -> tuple[str, bool] | None:
    """An answer with its question, and its label."""
    label = row["label"]
    if not isinstance(label, int) or label not in (0, 1) or not row.get("completion"):
        return None
    return _text(row.get("prompt"), row["completion"]), bool(label)


def _order(row: Mapping[str, Any]) -> tuple[str, bool] | None:
    """Two answers with their question, and whether the first by letters is the chosen one."""
    if row.get("chosen") is None and row.get("rejected") is None:
        return None
    chosen, rejected = _text(row.get("chosen")), _text(row.get("rejected"))
    if chosen == rejected:
        return None
    first, second = sorted((chosen, rejected))
    return _text(row.get("prompt")) + first + second, chosen == first


def _text(*values: Any) -> str:
    return json.dumps(values, sort_keys=True, default=repr)


def _last_text(value: Any, role: str) -> str:
    """A text, or the last message of this role."""
    if isinstance(value, str):
        return value
    for turn in reversed(value if isinstance(value, list) else []):
        if isinstance(turn, dict) and turn.get("role") == role:
            content = turn.get("content")
            return content if isinstance(content, str) else ""
    return ""
