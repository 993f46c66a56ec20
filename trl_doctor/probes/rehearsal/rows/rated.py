"""Answers with scores beside them in the data, of which a script takes one for each question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from .letters import letters
from .made_pairs import PAIR, Score, said, scored
from .records import HEAD, beginning, parts
from .sources import Row

COMPARED = 128
"""Rows that are compared with the answers of the data."""

FEWEST, SHARE = 6, 0.8
"""Rows that the scores speak about, and the share of them that has the worst answer."""

TEXTS = 3
"""Rows whose answer is not the best one because numbers are texts, at least."""

Words = list[str]

Group = dict[str, Score]
"""The answers of a question, with their scores."""


Finder = Callable[[Any], Iterator[tuple[str, Score]]]
"""What finds the rated answers of a record."""


class Choice(NamedTuple):
    """The score of the answer that was taken, and those of the answers that were not."""

    taken: Score
    others: tuple[Score, ...]

    @property
    def best(self) -> Score:
        """The highest of the others."""
        return max(self.others, key=lambda score: score.number)

    @property
    def worst(self) -> bool:
        """Whether the answer with the lowest score was taken."""
        return self.taken.number < min(score.number for score in self.others)

    @property
    def largest_as_text(self) -> bool:
        """Whether the taken one is the largest if the letters of the numbers are compared."""
        return self.taken.written >= max(score.written for score in self.others)


def against_scores(choices: list[Choice]) -> Words | None:
    """The score, an example of both and the counts, where the worst answers are taken."""
    worst = [choice for choice in choices if choice.worst]
    if len(choices) < FEWEST or len(worst) < SHARE * len(choices):
        return None
    return _words(worst, choices)


def has_best(choices: list[Choice]) -> bool:
    """Whether nearly all answers that are taken have the highest score."""
    best = sum(choice.taken.number > choice.best.number for choice in choices)
    return len(choices) >= FEWEST and best >= SHARE * len(choices)


def texts_as_numbers(every: list[Choice]) -> Words | None:
    """The same where the scores are texts, and the answers that are taken are best as texts."""
    choices = [choice for choice in every if choice.taken.is_text]
    worse = [choice for choice in choices if choice.taken.number < choice.best.number]
    if len(choices) < FEWEST or len(worse) < TEXTS:
        return None
    if not all(choice.largest_as_text for choice in choices):
        return None
    return _words(worse, choices)


def _words(wrong: list[Choice], choices: list[Choice]) -> Words:
    taken, best = wrong[0].taken, wrong[0].best
    return [taken.name, taken.written, best.written, str(len(wrong)), str(len(choices))]


def choices_of(
    tables: list[list[Row]], rows: list[Mapping[str, Any]], read: Finder = scored
) -> list[Choice]:
    """What the rows have taken of the rated answers of the data; `read` finds those of a record."""
    groups = [group for table in tables for group in _groups(table, read)]
    if not groups:
        return []
    if all(name in row for row in rows[:1] for name in PAIR):
        return list(_of_pairs(groups, rows))
    return list(_of_answers(groups, rows))


def _of_pairs(groups: list[Group], rows: list[Mapping[str, Any]]) -> Iterator[Choice]:
    """The chosen and the rejected answer of each row, where one question has both."""
    places = defaultdict[str, list[Group]](list)
    for group in groups:
        for answer in group:
            places[answer].append(group)
    for row in rows:
        chosen, rejected = (beginning(said(row.get(name))) for name in PAIR)
        scores = [(group[chosen], group[rejected])
                  for group in places[chosen] if rejected in group]  # fmt: skip
        if len({(taken.number, other.number) for taken, other in scores}) == 1:
            taken, other = scores[0]
            if taken.name == other.name and taken.number != other.number:
                yield Choice(taken, (other,))


def _of_answers(groups: list[Group], rows: list[Mapping[str, Any]]) -> Iterator[Choice]:
    """The only answer of each question that is learned from."""
    learned = [parts(row) for row in rows[:COMPARED]]
    answers = {beginning(side.answer) for side in learned if side.question}
    whole = "\n".join(letters(side.answer) for side in learned if not side.question)
    for group in groups:
        taken = [own for own in group if own in answers or (len(own) >= HEAD and own in whole)]
        others = [score for own, score in group.items() if own not in taken]
        if len(taken) == 1 and others:
            yield Choice(group[taken[0]], tuple(others))


def _is_length(answer: tuple[str, Score]) -> bool:
    """Whether a score counts the letters or the words of its answer."""
    text, score = answer
    return score.number in (len(text), len(text.split()))


def _groups(table: list[Row], read: Finder) -> Iterator[Group]:
    """The rated answers of each question, of one record or of several."""
    alone: list[Group] = []
    every = [list(read(record)) for record in table]
    if all(any(map(_is_length, record)) for record in every if record):
        return
    for record in every:
        group = {beginning(text): score for text, score in record}
        several = len({score.number for score in group.values()}) > 1
        if several and len({score.name for score in group.values()}) == 1:
            yield group
        elif not several:
            alone.append(group)
    times = Counter(text for group in alone for text in group)
    questions = defaultdict[str, Group](dict)
    for group in alone:
        for question in group:
            if times[question] > 1 and len(question) >= HEAD:
                answers = {text: score for text, score in group.items() if times[text] == 1}
                questions[question].update(answers)
    for group in questions.values():
        if len({score.number for score in group.values()}) > 1:
            yield group
