"""What of the rows that a script has read is not in those that it trains on."""

from __future__ import annotations

import bisect
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sized
from typing import Any

from ...reading import texts
from ..record import Mistake
from .excerpt import excerpt
from .letters import letters
from .questions import question
from .sources import MOST, Row

LETTERS = 16
"""Letters by which a text is found again, at least."""

FEWEST, SHARE = 5, 0.9
"""Rows that have lost characters of a kind, and their share of those that had some."""

SEVERAL, FEW = 24, 0.1
"""Rows that were read, and the share that is left, where duplicates are looked for."""

COMPARED = 256
"""Rows of a file whose characters are compared."""

LONG = 8
"""Letters and digits of a text that tells a row apart, at least."""

MASKS = re.compile(r"\*{2,}|_{2,}|<[A-Za-z_]+>|\[[A-Z_]+\]")
"""What somebody writes for numbers that are private."""

CODE = frozenset("(){}[]=+*/")
INDENTED = re.compile(r"\n[ \t]{2,}\S")
PROGRAM = re.compile(r"[:;{]\s*\n[ \t]{2,}\S|\w\(|\w = ")
"""What lines that are indented for a reason have: a poem or a wrapped text has not."""

MARKUP = re.compile(
    r"\[\d+(?:[,;–-] ?\d+)*\]|\[\[|\]\]|\]\([^()]*\)|</?[a-z][^<>]*>|https?://\S+|www\.\S+"
    r"|\*{1,3}(?=\S)|(?<=\S)\*{1,3}|^\s*(?:\d+[.)]|[*+]) ",
    re.IGNORECASE | re.MULTILINE,
)
"""Numbers of sources, links, tags, addresses and emphasis, which somebody may want to be gone."""

INDENTATION = "the indentation of lines"
KINDS: dict[str, Callable[[str], object]] = {
    "letters outside of ASCII": lambda text: any(ord(one) > 127 and one.isalpha() for one in text),
    "digits": lambda text: any("0" <= one <= "9" for one in text),
    "brackets and operators": lambda text: sum(one in CODE for one in text) > 3,
    INDENTATION: INDENTED.search,
}


def losses(read: list[list[Row]], rows: Any) -> Iterator[Mistake]:
    """Mistakes: characters that are deleted, and rows that are dropped as duplicates."""
    if not isinstance(rows, Sized) or not read:
        return
    try:
        trained = [list(texts(row)) for row in itertools.islice(_each(rows), MOST)]
        deleted = list(_deleted(read, trained))
        dropped = _dropped(read, trained, len(rows))
    except Exception:
        return
    for kind, before, after in deleted:
        yield Mistake("characters deleted", [kind, before, after])
    if dropped:
        yield Mistake("rows dropped", [str(word) for word in dropped])


def _each(rows: Any) -> Iterator[Row]:
    return iter(rows)


def _deleted(read: list[list[Row]], trained: list[list[str]]) -> Iterator[tuple[str, str, str]]:
    """The kinds of characters that texts have lost, and a text before and after."""
    whole = ["\n".join(parts) for parts in trained]
    ends = list(itertools.accumulate(len(_only_letters(text)) + 1 for text in whole))
    all_letters = " ".join(map(_only_letters, whole))
    had, lost = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    shown: dict[str, tuple[str, str]] = {}
    for row in itertools.chain(*(raw[:COMPARED] for raw in read)):
        parts = list(texts(row))
        for text in parts:
            only = _only_letters(text)
            at = all_letters.find(only) if len(only) >= LETTERS else -1
            if at < 0:
                continue
            after = whole[bisect.bisect_right(ends, at)]
            for kind, has in KINDS.items():
                if not _needs(kind, text) or _is_meant(kind, text, after, parts):
                    continue
                had[kind] += 1
                if not has(after):
                    lost[kind] += 1
                    shown.setdefault(kind, (excerpt(text), excerpt(after)))
    for kind, count in lost.items():
        if count >= FEWEST and count >= SHARE * had[kind]:
            yield (kind, *shown[kind])


def _needs(kind: str, text: str) -> bool:
    """Whether a text has characters of a kind, beside those that somebody may want to be gone."""
    if kind == INDENTATION and not PROGRAM.search(text):
        return False
    return bool(KINDS[kind](MARKUP.sub("", text)))


def _is_meant(kind: str, text: str, after: str, parts: list[str]) -> bool:
    """Whether the data have the same text without such characters, or somebody has masked them."""
    only = _only_letters(text)
    if any(only in _only_letters(part) and not KINDS[kind](part) for part in parts):
        return True
    return kind == "digits" and bool(MASKS.search(after)) and not MASKS.search(text)


def _dropped(
    read: list[list[Row]], trained: list[list[str]], left: int
) -> tuple[int, int, str] | None:
    """How many rows are left, of how many, and the column of which they have each value once."""
    for raw in read:
        if len(raw) < SEVERAL or not 0 < left <= FEW * len(raw):
            continue
        keys = _own_keys(raw)
        known = [letters("\n".join(parts)) for parts in trained]
        places = [[at for at, own in enumerate(keys) if any(key in text for key in own)]
                  for text in known]  # fmt: skip
        if any(len(found) != 1 for found in places):
            continue
        kept = {found[0] for found in places}
        asked = {question(row) for row in raw}
        if "" in asked or len(asked) < len(raw) / 2:
            continue
        for column in raw[0]:
            values = [repr(row.get(column)) for row in raw]
            once = set(values)
            first = {values.index(value) for value in once}
            last = {len(values) - 1 - values[::-1].index(value) for value in once}
            if kept in (first, last):
                return left, len(raw), column
    return None


def _own_keys(raw: list[Row]) -> list[list[str]]:
    """The texts of each row that no other row has."""
    keys = [[key for key in map(letters, texts(row)) if len(key) >= LONG] for row in raw]
    count = Counter(itertools.chain(*keys))
    return [[key for key in row if count[key] == 1] for row in keys]


def _only_letters(text: str) -> str:
    return re.sub(r"[^a-z]+", "", text.lower())
