"""A part of the question, or the answer, that the data have in a column, and that no row has."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sized
from typing import Any

from ...reading import texts
from .excerpt import excerpt
from .intent import CLOSED_BOOK, reads, removes, says
from .letters import letters, text_of
from .made_pairs import PAIR
from .records import HEAD, Cell, Records
from .sources import Row

COLUMN = re.compile(
    r"input|context|passage|document|system|system_prompt|system_message|history", re.IGNORECASE
)
"""Names of columns without which a question is not whole."""

ANSWER = re.compile(r"outputs?|responses?|answers?|completions?|targets?|repl(y|ies)|solutions?")
"""Names of columns with answers."""

QUESTION = re.compile(r"(question|instruction|input|prompt|query|problem|task|user|human)s?")
"""Names of columns with questions."""

CONVERSED = {"messages", "conversations", "prompt", "completion"}
"""Columns of which SFT makes its texts, whatever the name of the column of texts."""

WORD = r"(?:response|answer|output|assistant|reply|completion|solution|target)"
ASKED = re.compile(rf"(?:(?:^|\n)\W*{WORD}\W*|\b{WORD}\s*:\W*)$", re.IGNORECASE)
"""How a text ends behind which the answer is missing: a line of its own, or a colon."""

COMPARED = 64
"""Rows that are compared with their records."""

FEWEST = 8
"""Rows whose record has the column, and different texts in it, at least."""

MADE = 0.9
"""The share of rows whose own text a fuller one has, with more that differs from row to row."""

PIECE, MOST = 40, 4000
"""Letters by which a part of a column's text is found, and those that are looked at."""


def left_out(
    records: Records, rows: Any, tokenizer: Any, named: re.Pattern[str] = COLUMN
) -> list[str] | None:
    """The column, a text of it and how many rows lack theirs; None if any row has its own.

    Columns with these names are looked at.
    """
    every: Any = rows if isinstance(rows, Sized) else ()
    try:
        columns = [(number, name) for number, table in enumerate(records.tables)
                   for name in table[0] if named.fullmatch(str(name))]  # fmt: skip
        first = list(itertools.islice(every, COMPARED if columns else 0))
        shown = [(text_of(row, tokenizer), _before(row) if named is QUESTION else "")
                 for row in first]  # fmt: skip
        placed = [(letters(text), records.within(text), asked) for text, asked in shown]
        found = (_lost(records, *column, placed) for column in columns)
        words = next((words for words in found if words), None)
        meant = words is not None and named is COLUMN and removes(words[0])
        return None if meant or says(CLOSED_BOOK) else words
    except Exception:  # rows of another kind
        return None


def _before(row: Row) -> str:
    """What stands before both answers of a pair: its prompt, and how both begin."""
    sides = zip(*("\n".join(texts(row.get(side))) for side in PAIR))
    alike = itertools.takewhile(lambda both: both[0] == both[1], sides)
    return "\n".join([*texts(row.get("prompt")), "".join(one for one, _ in alike)])


def _asked_otherwise(pairs: list[tuple[str, str]]) -> bool:
    """Whether most texts have the words by which their questions differ from one another."""
    both = [tuple({*re.findall(r"\w+", text.lower())} for text in pair) for pair in pairs]
    times = Counter(word for question, _ in both for word in question)
    own = [({word for word in question if 2 * times[word] <= len(both)}, asked)
           for question, asked in both]  # fmt: skip
    return 2 * sum(2 * len(words & asked) >= len(words) > 0 for words, asked in own) > len(own)


def _lost(
    records: Records, number: int, name: str, placed: list[tuple[str, set[Cell], str]]
) -> list[str] | None:
    """The same of one column of a table, for rows by their letters and the cells in them, and what
    they have before two answers."""
    table, lost = records.tables[number], list[tuple[str, str]]()
    used = {cell.column for _, cells, _ in placed for cell in cells if cell.table == number}
    if name == "input" and "output" in table[0] and "output" not in used:
        return None  # of a test of the program that is learned
    for whole, cells, asked in placed:
        others = (cell for cell in cells if cell.table == number and cell.column != name)
        own = next(others, None)
        parts = list(texts(table[own.record].get(name))) if own else []
        pieces = [piece for part in parts for piece in _pieces(letters(part))]
        if not pieces:
            continue
        if any(piece in whole for piece in pieces):
            return None
        lost.append((" ".join(parts), asked))
    if len({text for text, _ in lost}) < FEWEST or _asked_otherwise(lost):
        return None
    return [name, excerpt(lost[0][0]), str(len(lost))]


def answers_left_out(records: Records, rows: Any, tokenizer: Any) -> list[str] | None:
    """The column of the answers, how a text ends in their place, and how many rows lack theirs.

    The rows end with a text of another column that they have before, too, or with the words behind
    which answers stand. Rows with an answer from elsewhere, as that of another model, do not.
    """
    every: Any = rows if isinstance(rows, Sized) else ()
    try:
        first = itertools.islice(every, COMPARED)
        shown = [without_marks(text_of(row, tokenizer), tokenizer) for row in first]
        placed = [(text, letters(text), records.within(text)) for text in shown]
        for number, table in enumerate(records.tables):
            names = [str(name) for name in table[0] if ANSWER.fullmatch(str(name).lower())]
            if len(names) == 1 and (words := _unanswered(records, number, names[0], placed)):
                return None if removes(names[0]) else words
    except Exception:  # rows of another kind
        return None
    return None


def _unanswered(
    records: Records, number: int, name: str, placed: list[tuple[str, str, set[Cell]]]
) -> list[str] | None:
    """The same of one table, if all rows that have texts of it lack their answer."""
    lost, ends = set[str](), set[str]()
    for text, whole, cells in placed:
        own = {cell.record for cell in cells if cell.table == number}
        if len(own) != 1:
            continue
        record = records.tables[number][own.pop()]
        pieces = [piece for part in texts(record.get(name)) for piece in _pieces(letters(part))]
        others = [letters(part) for key, value in record.items() if key != name
                  for part in texts(value)]  # fmt: skip
        again = any(len(part) >= HEAD and whole.endswith(part) and whole.count(part) > 1
                    for part in others)  # fmt: skip
        if not pieces or any(piece in whole for piece in pieces):
            return None
        if not (again or ASKED.search(text)):
            return None
        lost.add(whole)
        ends.add(" ".join(text.split())[-30:])
    return [name, min(ends), str(len(lost))] if len(lost) >= FEWEST else None


def questions_alone(rows: Any, prepared: Any, field: str, tokenizer: Any) -> list[str] | None:
    """The column of texts, if it has questions, that of their answers, and how many rows lack it.

    `rows` are those that the trainer is given, `prepared` those that it has made of them.
    """
    names = list(getattr(rows, "column_names", None) or ())
    answers = [name for name in names if ANSWER.fullmatch(name.lower())]
    made = CONVERSED - {field} & set(names)
    if made or field not in names or not QUESTION.fullmatch(field.lower()) or len(answers) != 1:
        return None
    try:
        pairs = [(row[field], row[answers[0]]) for row in itertools.islice(rows, COMPARED)]
        learned = letters(without_marks(text_of(next(iter(prepared)), tokenizer), tokenizer))
    except Exception:  # rows of another kind
        return None
    if len(pairs) < 2 or not all(isinstance(text, str) for pair in pairs for text in pair):
        return None
    said = [answer.strip() for _, answer in pairs]
    if not all(said) or any(answer in asked for answer, (asked, _) in zip(said, pairs)):
        return None
    as_asked = learned and letters(pairs[0][0]).startswith(learned)  # and no function's own text
    if not as_asked or removes(answers[0]):
        return None
    return [field, answers[0], str(len(pairs))]


def fuller_unused(
    tables: list[list[Row]], rows: Any, prepared: Any, field: str, tokenizer: Any
) -> list[str] | None:
    """A column that the script has made of the texts and of more, the texts, and how many rows.

    Nothing if the script reads the column, or the rows are learned from in another form.
    """
    names = list(getattr(rows, "column_names", None) or ())
    read = {str(name) for table in tables for name in table[0]}
    if not read or field not in names or CONVERSED - {field} & set(names):
        return None
    try:
        learned = letters(without_marks(text_of(next(iter(prepared)), tokenizer), tokenizer))
        first = list(itertools.islice(rows, COMPARED))
        plain = [letters(row[field]) for row in first]
        if not learned or not plain[0].startswith(learned):
            return None
        for name in names:
            if name not in read and name != field and not removes(name) and not reads(name):
                whole = [letters(row[name]) for row in first]
                more = {all_.replace(own, "", 1) for all_, own in zip(whole, plain)
                        if own in all_ and min(len(own), len(all_) - len(own)) >= HEAD}  # fmt: skip
                if len(more) >= max(FEWEST, MADE * len(first)):
                    return [name, field, str(len(first))]
    except Exception:  # rows of another kind
        return None
    return None


def without_marks(text: str, tokenizer: Any) -> str:
    """A text without the marks of the tokenizer."""
    for mark in getattr(tokenizer, "all_special_tokens", ()):
        text = text.replace(mark, " ")
    return text


def _pieces(text: str) -> list[str]:
    """Parts of a text: a row may have a sentence of it, or a trainer may have cut its end."""
    starts = range(0, min(len(text), MOST), PIECE)
    return [piece for at in starts if len(piece := text[at : at + PIECE]) >= HEAD]
