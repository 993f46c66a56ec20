"""Which of two answers a script's `map` calls chosen, beside the scores that its rows had."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ...intentions import LOW_IS_GOOD
from .intent import says
from .sources import Row

FEWEST, MOST = 6, 0.8
"""Pairs with two scores from which on they are judged, and the share that must be reversed."""

SCORES = re.compile(r"score|rating|reward|upvotes|helpful|quality", re.IGNORECASE)
"""Names of numbers that are higher for a better answer."""

LOWER = re.compile(
    r"(?<!non)(?<!non_)toxic|harm(?!less)|danger|unsafe|hate|error|risk|penal|perplex|loss|distance"
    r"|hallucinat|bias|verbos|spam|uncertain|repetit|repeat|refus|sycophan|similar|sever"
    r"|difficult|entropy|cost|duplicat|overlap|violat|jailbreak|attack|plagiar|leak|edit|nll|rank"
    r"|age_rating|content_rating|length|readab|complexity|offens|abus|vulgar|obscen",
    re.IGNORECASE,
)
"""Parts of the names of numbers that are lower for a better answer, or say nothing of that."""

RANK = re.compile(r"(\w+_)?rank(s|ings?)?", re.IGNORECASE)
"""Names of numbers of which 1 is the best, if the answers of each question are counted from 1."""

PAIR = ("chosen", "rejected")

NUMBER = re.compile(r"\s*-?\d+(\.\d+)?\s*")


class Score(NamedTuple):
    """A number beside an answer, or a text that is one."""

    name: str
    number: float
    written: str
    is_text: bool = False


Reader = Callable[[str, Any], Score | None]
"""What reads the score that a column of this name has."""

FIRST_RANK = -1.0


def reversed_pairs(before: list[Row], after: list[Row]) -> list[str] | None:
    """The score's name, an example of both scores and the counts; None if pairs are as they score.

    `after` are the rows that became of the rows `before`, in the same order.
    """
    judged = _compared(before, after, scored)
    reversed_ = [(low, high) for low, high in judged if low.number < high.number]
    if len(judged) < FEWEST or len(reversed_) < MOST * len(judged) or says(LOW_IS_GOOD):
        return None
    for read in (truths, ranked):
        right = sum(taken.number > other.number for taken, other in _compared(before, after, read))
        if right >= MOST * len(judged):
            return None
    low, high = reversed_[0]
    return [low.name, low.written, high.written, str(len(reversed_)), str(len(judged))]


def _compared(
    before: list[Row], after: list[Row], read: Callable[[Any], Iterator[tuple[str, Score]]]
) -> list[tuple[Score, Score]]:
    """What the rows have beside the two answers of each pair, where that differs."""
    found = []
    for row, pair in zip(before, after):
        beside = dict(read(row))
        chosen, rejected = (beside.get(said(pair.get(name))) for name in PAIR)
        if chosen and rejected and chosen.name == rejected.name:
            found.append((chosen, rejected))
    return [(taken, other) for taken, other in found if taken.number != other.number]


def truths(value: Any) -> Iterator[tuple[str, Score]]:
    """Each text of a row that has something true or false beside it: answers are chosen by that."""
    return scored(value, _truth)


def said(answer: Any) -> str:
    """The text of an answer, or of the last message of one."""
    if isinstance(answer, list) and answer:
        answer = answer[-1]
    if isinstance(answer, Mapping):
        answer = answer.get("content")
    return answer.strip() if isinstance(answer, str) else ""


def ranked(value: Any) -> Iterator[tuple[str, Score]]:
    """Each text of a row that has a rank beside it; its number is below 0, so the best is highest.

    Several ranks of a row are counted from 1, and nothing beside them is true or false: answers
    may be chosen by that.
    """
    found = list(scored(value, _rank))
    ranks = {-int(score.number) for _, score in found}
    if len(found) == 1 or (ranks == set(range(1, len(found) + 1)) and not _has_truths(value)):
        yield from found


def _has_truths(value: Any) -> bool:
    parts = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, (Mapping, list)):
        return any(map(_has_truths, parts))
    return isinstance(value, bool)


def scored(value: Any, read: Reader | None = None) -> Iterator[tuple[str, Score]]:
    """Each text of a row that has one score beside it, with the score."""
    read = read or _score
    if isinstance(value, list):
        for part in value:
            yield from scored(part, read)
    if not isinstance(value, Mapping):
        return
    yield from _side_by_side(value, read)
    numbers = {name: score for name, part in value.items() if (score := read(str(name), part))}
    for name, part in value.items():
        if name in numbers:
            continue
        if isinstance(part, str) and part.strip():
            if score := _beside(str(name), numbers):
                yield part.strip(), score
        else:
            yield from scored(part, read)


def _side_by_side(row: Mapping[str, Any], read: Reader) -> Iterator[tuple[str, Score]]:
    """Each text of the only list of texts that has one list of scores beside it, with its score."""
    lists = {str(name): part for name, part in row.items() if isinstance(part, list) and part}
    texts = [part for part in lists.values() if all(isinstance(text, str) for text in part)]
    numbers = [scores for name, part in lists.items()
               if all(scores := [read(name, number) for number in part])]  # fmt: skip
    answers = [part for part in texts if not all(map(NUMBER.fullmatch, part))]
    if len(answers) == len(numbers) == 1 and len(answers[0]) == len(numbers[0]) > 1:
        pairs = zip(answers[0], numbers[0])
        yield from ((text.strip(), score) for text, score in pairs if text.strip() and score)


def _score(name: str, value: Any) -> Score | None:
    if not SCORES.search(name) or LOWER.search(name) or isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return Score(name, float(value), f"{value:g}")
    if isinstance(value, str) and NUMBER.fullmatch(value):
        return Score(name, float(value), value.strip(), is_text=True)
    return None


def _truth(name: str, value: Any) -> Score | None:
    """What says that an answer is right, as `correct`, or that it is not `toxic`; 1 and 0, too."""
    if value not in (0, 1) or SCORES.search(name):
        return None
    return Score(name, -float(value) if LOWER.search(name) else float(value), str(value))


def _rank(name: str, value: Any) -> Score | None:
    if not RANK.fullmatch(name) or isinstance(value, bool):
        return None
    whole = isinstance(value, (int, float)) and value >= 1 and value == int(value)
    return Score(name, -float(value), f"{value:g}") if whole else None


def _beside(name: str, numbers: Mapping[str, Score]) -> Score | None:
    """The only score of a text's object, or the one whose name ends as that of the text."""
    if len(numbers) == 1:
        return next(iter(numbers.values()))
    end = re.search(r"_?(?:\d+|[ab])$", name, re.IGNORECASE)
    for own, score in numbers.items():
        if end and own.endswith(end[0]):
            return score._replace(name=own[: -len(end[0])])
    return None
