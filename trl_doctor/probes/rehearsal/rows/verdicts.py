"""What the data say about answers that a script calls chosen, wanted, or worth learning."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sized
from typing import Any

from ...intentions import LOW_IS_GOOD
from ..record import Mistake
from .better_sides import by_choice
from .intent import HIGH_RANK_IS_GOOD, WORST, says
from .made_pairs import FIRST_RANK, LOWER, PAIR, SCORES, ranked, said, truths
from .rated import Choice, against_scores, choices_of, has_best, texts_as_numbers
from .records import beginning, columns, only_values
from .sources import Row
from .text_order import wrong_pairs

COMPARED = 512
"""Rows that are compared with the data."""

LABELS, ALL = 8, 0.95
"""Rows with labels that are compared, and the share that must be turned round."""

LABEL = re.compile(r"labels?|tag|kto|accept(ed|able)?|ratings?|verdict|feedback")
"""Words in the names of columns whose truth values are those of labels."""

EACH = 2
"""Rows of each kind that have been given one label, at least."""

OTHERS = frozenset({"has", "had", "human", "terms"})
"""Words in such names that say something of the row, and nothing of its answer."""

PARTS = frozenset({"download", "downloaded", "downsampled", "reporter", "reportable", "badge"})
"""Words that begin as those for worse answers do, and mean something else."""

WORSE = re.compile(
    r"bad|reject|flag|spam|fail|wrong|incorrect|delet|report|dislik|down|negativ|worse|refus|remov"
    r"|attack|jailbreak|exploit|inject|leak|abus|phish|hack|breach|fraud|(?<!no_)complain|fault",
    re.IGNORECASE,
)
"""Parts of the names of columns that are true for a worse answer, beside those of numbers."""

BETTER = re.compile(
    r"good|correct|accepted|approved|likes?|liked|upvoted?|positive|preferred|desirable|wanted"
    r"|helpful|useful|pass|passed|success|successful|valid|solved|satisfied|chosen|best",
    re.IGNORECASE,
)
"""Words in the names of columns that are true for a better answer."""

UP = re.compile(r"(user_|is_)?(thumbs?_|votes?_|voted_)?up(_?votes?)?")
"""Such names with `up`: `made_up` and `looked_up` are none."""

VOTES = frozenset({"votes", "vote", "feedback", "thumbs", "thumb"})
"""Words for what users have said: 1 and -1, or true and false; 0 and 1 may be any two buttons."""

PARTED = re.compile(r"pass(ed)?_(on|by|over|away|to|through)|best_(before|effort|guess)")
"""Names in which such a word means something else."""

TURNED = frozenset({"not", "no", "non", "never", "false", "needs", "need", "without", "lacks"})
"""Words that turn such a name round."""

YES, NO = frozenset({"true", "yes", "1", "1.0"}), frozenset({"false", "no", "0", "0.0", "-1"})
"""Values whose meaning the name of their column says."""

GOOD = frozenset({"good", "up", "thumbs_up", "thumbsup", "positive", "correct", "accept", "pass",
                  "accepted", "like", "liked", "approved", "desirable", "helpful"})  # fmt: skip
BAD = frozenset({"bad", "down", "thumbs_down", "thumbsdown", "negative", "incorrect", "reject",
                 "rejected", "dislike", "disliked", "wrong", "fail", "undesirable",
                 "unhelpful"})  # fmt: skip

Words = list[str]


def labels_against(tables: list[list[Row]], rows: list[Mapping[str, Any]]) -> Words | None:
    """The column that every label contradicts, a value of it, and the label beside it."""
    for table in tables:
        answers = only_values(
            (beginning(text), number)
            for number, record in enumerate(table)
            for text in record.values()
            if isinstance(text, str) and len(text) > 1
        )
        found = [
            (bool(row["label"]), table[answers[text]])
            for row in rows
            if row.get("label") in (True, False)
            and (text := beginning(said(row.get("completion")))) in answers
        ]
        read = [_beside(column, found) for column in columns(table)]
        if any(agrees for agrees, _ in read):
            continue
        if words := next((words for _, words in read if words), None):
            return words
    return None


def labels_counted(tables: list[list[Row]], rows: Any) -> Iterator[Mistake]:
    """How many rows have a label that is true, and how many another one; and one for two kinds.

    The numbers are no mistake: a rule asks for them.
    """
    if words := one_label(tables, rows):
        yield Mistake("one label of two", words)
    if isinstance(rows, Sized) and "label" in (getattr(rows, "column_names", None) or ()):
        labels: Any = rows["label"]  # type: ignore[index]
        good = sum(map(bool, labels))
        yield Mistake("rows by label", [str(good), str(len(labels) - good)])


def one_label(tables: list[list[Row]], rows: Any) -> Words | None:
    """The label of all rows, how many these are, and a column that tells two kinds of them."""
    first: Iterator[Mapping[str, Any]] = itertools.islice(iter(rows), COMPARED)
    labelled = [row for row in first if row.get("label") in (True, False)]
    labels = {bool(row["label"]) for row in labelled}
    if len(labels) != 1:
        return None
    answers = [beginning(said(row.get("completion"))) for row in labelled]
    for table in tables:
        for column in columns(table):
            kinds = only_values(
                (beginning(text), _kind(column, record.get(column)))
                for record in table
                for text in record.values()
                if isinstance(text, str) and len(text) > 1
            )
            found = [kinds[text] for text in answers if text in kinds]
            if None not in found and min(map(found.count, (True, False))) >= EACH:
                return [str(*labels), str(len(labelled)), column]
    return None


def _kind(column: str, value: Any) -> bool | None:
    """Which of two kinds of answers a value of a column names; None if it names none."""
    words = [word for word in _words(column) if word not in PARTS]
    if OTHERS.intersection(words):
        return None
    if isinstance(value, bool) and any(LABEL.fullmatch(w) or WORSE.match(w) for w in words):
        return value
    return _meaning(column).get(str(value).strip().lower())


def _beside(column: str, found: list[tuple[bool, Row]]) -> tuple[bool, Words | None]:
    """Whether the labels are what a column says; if they are its contrary, the words for it."""
    if WORSE.search(column) or LOWER.search(column):
        return False, None
    means = _meaning(column)
    values = ((label, record.get(column)) for label, record in found)
    read = ((label, value, means.get(str(value).strip().lower())) for label, value in values)
    judged = [(label, value, truth) for label, value, truth in read if truth is not None]
    if len(judged) < max(LABELS, ALL * len(found)) or len({truth for *_, truth in judged}) < 2:
        return False, _against_ratings(column, found)
    against = [(label, value) for label, value, truth in judged if label is not truth]
    if len(against) < ALL * len(judged):
        return len(against) <= (1 - ALL) * len(judged), None
    label, value = against[0]
    return False, [column, str(value), str(label), str(len(against)), str(len(judged))]


def _against_ratings(column: str, found: list[tuple[bool, Row]]) -> Words | None:
    """The same where each wanted answer has a lower number than each other one."""
    if not SCORES.search(column) or says(LOW_IS_GOOD):
        return None
    numbers: dict[bool, list[float]] = {True: [], False: []}
    for label, record in found:
        value = record.get(column)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            numbers[label].append(float(value))
    count = len(numbers[True]) + len(numbers[False])
    if count < LABELS or min(map(len, numbers.values())) < 2:
        return None
    if max(numbers[True]) >= min(numbers[False]):
        return None
    return [column, f"{max(numbers[False]):g}", "False", str(count), str(count)]


def _words(column: str) -> list[str]:
    return re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column).lower())


def _meaning(column: str) -> dict[str, bool]:
    """Which values of a column say that an answer is good, and which that it is not."""
    words = _words(column)
    if TURNED.intersection(words):
        return {}
    name = "_".join(words)
    known = any(map(BETTER.fullmatch, words)) or UP.fullmatch(name)
    yes, no = (YES | GOOD, NO | BAD) if known and not PARTED.search(name) else (GOOD, BAD)
    if not known and VOTES.intersection(words):
        yes, no = YES | GOOD, (NO | BAD) - {"0", "0.0"}
    return {**dict.fromkeys(no, False), **dict.fromkeys(yes, True)}


def _lower_taken(
    choices: list[Choice], rows: list[Mapping[str, Any]], tables: list[list[Row]]
) -> Words | None:
    """The lowest scores, where the script does not say that it wants them, and neither what is
    true of the answers nor a rank does."""
    pairs = all(name in row for row in rows[:1] for name in PAIR)
    words = against_scores(choices)
    if words and any(has_best(choices_of(tables, rows, read)) for read in (truths, ranked)):
        return None
    meant = words and (says(LOW_IS_GOOD) or (not pairs and says(WORST)))
    return None if meant else words


def _worse_rank(tables: list[list[Row]], rows: list[Mapping[str, Any]]) -> Words | None:
    """Pairs of which the chosen answer has the worse rank: ranks are counted from 1, the best.

    A script that does not name the ranks chooses by something else.
    """
    choices = choices_of(tables, rows, ranked) if all(name in rows[0] for name in PAIR) else []
    numbers = [score.number for choice in choices for score in (choice.taken, choice.best)]
    words = against_scores(choices) if FIRST_RANK in numbers else None
    named = words is not None and says(re.compile(rf"\b{re.escape(words[0])}"))
    return words if named and not says(HIGH_RANK_IS_GOOD) else None


def verdicts(tables: list[list[Row]], rows: Any) -> Iterator[Mistake]:
    """Mistakes: answers and labels that say the contrary of what was read."""
    try:
        first = list(itertools.islice(iter(rows), COMPARED))
        choices = choices_of(tables, first)
        by_text = texts_as_numbers(choices)
        named = by_choice(tables, first)
        looks = (
            ("scores as texts", by_text or wrong_pairs(tables, first)),
            ("lower score taken",
             None if by_text or named.agree else _lower_taken(choices, first, tables)),
            ("worse rank taken",
             None if choices or named.agree or not first else _worse_rank(tables, first)),
            ("pairs against choice", None if has_best(choices) else named.against),
            ("labels against data", labels_against(tables, first)),
        )  # fmt: skip
        yield from (Mistake(what, words) for what, words in looks if words)
    except Exception:  # rows of another kind
        return
