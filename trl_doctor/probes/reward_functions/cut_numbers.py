"""Regular expressions of a reward function that read a part of a number."""

from __future__ import annotations

import contextlib
import itertools
import linecache
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .own_patterns import matched, patterns
from .rows import GOLD, all_text, cell_text
from .source import where

NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
WHOLE = re.compile(r"-?\d(?:[\d.,]*\d)?")
AROUND = re.compile(r"\(\?<?[=!]|\\d\)?(?:\\[DsW][*+?]?)?(?:\$|\\Z)$")
"""What looks at the characters beside a match, or for one last digit: such a pattern may stop in a
number on purpose."""

AGAIN = re.compile(r"\b(?:findall|finditer|sub)\(")
"""What reads more than the first match."""

READS = ("search", "match", "fullmatch", "findall", "finditer")
"""The functions of `re` that read."""

FORM, MOST, LONGEST = "The answer is {}.", 16, 20_000
"""A text with a right answer, how many are tried, and characters of a text that is looked at."""


class Cut(NamedTuple):
    """What a pattern reads of a number."""

    pattern: str
    read: str
    number: str


def cut_answers(function: Callable[..., Any], rows: Sequence[Mapping[str, Any]]) -> Cut | None:
    """What a pattern of a function reads of a right answer of the rows, if that is a part of it."""
    golds = [*dict.fromkeys(_golds(rows))][:MOST]
    first = not AGAIN.search("".join(linecache.getlines(where(function)[0])))
    for pattern in patterns(function) if golds else ():
        for text in _texts(pattern, golds):
            found = itertools.islice(
                pattern.finditer(text), 1 if first and pattern.groups else None
            )
            if cut := _first(pattern, text, found):
                return cut
    return None


@contextlib.contextmanager
def cut_texts(completions: Sequence[Any]) -> Iterator[list[Cut]]:
    """What is read of numbers while this lasts, in texts that are no parts of the completions."""
    said, cuts = [all_text(one) for one in completions], list[Cut]()
    originals = {name: getattr(re, name) for name in READS}

    def reads(name: str) -> Any:
        original = originals[name]

        def read(pattern: Any, string: Any, *args: Any, **more: Any) -> Any:
            with contextlib.suppress(Exception):  # no text, or no pattern: the original says so
                own = isinstance(string, str) and len(string) <= LONGEST
                if own and not cuts and not any(string in text for text in said):
                    _look(name, re.compile(pattern, *args, **more), string, cuts)
            return original(pattern, string, *args, **more)

        return read

    for name in READS:
        setattr(re, name, reads(name))
    try:
        yield cuts
    finally:
        for name, original in originals.items():
            setattr(re, name, original)


def _look(name: str, pattern: re.Pattern[str], text: str, cuts: list[Cut]) -> None:
    alone = name in ("search", "match", "fullmatch")
    if alone and not pattern.groups:
        return  # it asks whether there is one
    one = getattr(pattern, name)(text) if alone else None
    found = ([one] if one else []) if alone else pattern.finditer(text)
    if cut := _first(pattern, text, found):
        cuts.append(cut)


def _first(pattern: re.Pattern[str], text: str, found: Iterable[re.Match[str]]) -> Cut | None:
    """The first part of a number that is read, where nothing reads the rest of it."""
    if AROUND.search(pattern.pattern):
        return None
    spans = [match.span(1 if pattern.groups else 0) for match in found]
    begins, ends = {start for start, _ in spans}, {end for _, end in spans}
    for start, end in spans:
        if start < 0 or not NUMBER.search(text[start:end]):
            continue
        behind = end < len(text) and text[end - 1 : end + 1].isdigit() and end not in begins
        before = start > 0 and text[start - 1 : start + 1].isdigit() and start not in ends
        if before or behind:
            at = start if before else end - 1
            whole = [one[0] for one in NUMBER.finditer(text) if one.start() <= at < one.end()]
            return Cut(pattern.pattern, text[start:end], whole[0])
    return None


def _golds(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The right answers that are numbers."""
    for row in rows:
        for name in GOLD:
            if WHOLE.fullmatch(text := cell_text(row.get(name)).strip()):
                yield text


def _texts(pattern: re.Pattern[str], golds: Sequence[str]) -> Iterator[str]:
    """Texts with the answers: in a sentence, and where the pattern expects a number."""
    for gold in golds:
        yield FORM.format(gold)
    for sample in matched(pattern):
        if (one := pattern.search(sample)) and pattern.groups:
            start, end = one.span(1)
            if start >= 0 and NUMBER.fullmatch(sample[start:end]):
                yield from (sample[:start] + gold + sample[end:] for gold in golds)
