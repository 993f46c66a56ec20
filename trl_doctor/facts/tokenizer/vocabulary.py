"""Vocabularies as the files contain them, and the ids that added tokens get."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from trl_doctor.files.document import Unreadable

T = TypeVar("T")

ESCAPE = re.compile(rb"\\(?:[\"\\]|u003.)")
ENTRY = re.compile(rb'("(?:[^"\\]|\\.)*")\s*:\s*(\d{1,15})\s*[,}]')
SEARCHABLE = frozenset("<[({|#@$*_")
"""First characters of special tokens that JSON text contains without escapes."""


class AddedToken(Struct, frozen=True):
    """A token that the tokenizer matches in text before it applies its model."""

    content: str
    special: bool = False
    normalized: bool = True
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False


class Table(Struct, frozen=True):
    """A base vocabulary, token to id. `size` is the number of entries, and the first added id."""

    tokens: Mapping[str, int]
    size: int

    def ids(self, tokens: Iterable[str]) -> dict[str, int]:
        """The ids of those of `tokens` that the vocabulary contains."""
        return {token: self.tokens[token] for token in tokens if token in self.tokens}


class Encoded(Struct, frozen=True, dict=True):
    """A base vocabulary in its JSON text, `{"token": id, …}`: searched, and rarely decoded.

    To decode 150,000 tokens takes longer than everything else that is needed of a tokenizer. The
    JSON text is what `data` has from `start` to `end`: a part of a large file is not copied.
    """

    file: Path
    data: bytes
    start: int = 0
    end: int = sys.maxsize

    @cached_property
    def _searched(self) -> dict[str, dict[str, int]]:
        return {}

    @cached_property
    def tokens(self) -> Mapping[str, int]:
        """Every token and its id; raises `Unreadable` if the text is not such a mapping."""
        return self._decoded(memoryview(self.data)[self.start : self.end], dict[str, int])

    @cached_property
    def size(self) -> int:
        """The number of entries: half the number of quotation marks that are not escaped."""
        marks = self.data.count(b'"', self.start, self.end)
        return (marks - self._escapes[b'\\"']) // 2

    def ids(self, tokens: Iterable[str]) -> dict[str, int]:
        distinct = set(tokens)
        starts = {token[:1] for token in distinct}
        plain = not self._escapes.keys() - {b'\\"', b"\\\\"}
        if "tokens" in self.__dict__ or not starts <= SEARCHABLE or not plain:
            return {token: self.tokens[token] for token in distinct if token in self.tokens}
        for start in starts - self._searched.keys():
            self._searched[start] = dict(self._starting(start))
        return {t: self._searched[t[:1]][t] for t in distinct if t in self._searched[t[:1]]}

    @cached_property
    def _escapes(self) -> Counter[bytes]:
        return Counter(ESCAPE.findall(self.data, self.start, self.end))

    def _starting(self, start: str) -> Iterator[tuple[str, int]]:
        """The tokens that begin with a searchable character."""
        mark, data = start.encode(), self.data
        at = data.find(mark, self.start, self.end)  # one character is found ten times faster
        while at >= 0:
            begins = data[at - 1 : at] == b'"' and data[at - 2 : at - 1] != b"\\"
            entry = ENTRY.match(data, at - 1) if begins else None
            if entry:
                yield self._decoded(entry[1], str), int(entry[2])
            at = data.find(mark, at + 1, self.end)

    def _decoded(self, text: bytes | memoryview, form: type[T]) -> T:
        try:
            return msgspec.json.decode(text, type=form)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise Unreadable(self.file, "invalid", f"has an unusable vocabulary: {error}") from None


Base: TypeAlias = Table | Encoded


class Vocabulary(Struct, frozen=True, dict=True):
    """A base vocabulary and the tokens added to it, in the order of addition.

    `only_named` are tokens that no file lists: they exist because a role names them.
    """

    base: Base
    added: Mapping[int, AddedToken] = msgspec.field(default_factory=dict)
    added_ids: Mapping[str, int] = msgspec.field(default_factory=dict)
    new: int = 0
    only_named: frozenset[str] = frozenset()

    @property
    def length(self) -> int:
        """The number of tokens, `len(tokenizer)`: `new` of them come after the base."""
        return self.base.size + self.new

    @cached_property
    def highest(self) -> int:
        """The highest id of any token, -1 if there is none; decodes the vocabulary."""
        ids = self.base.tokens.values()
        return max(max(ids, default=-1), max(self.added_ids.values(), default=-1))

    def id(self, token: str) -> int | None:
        """The id of a token, None if there is no such token."""
        if token in self.added_ids:
            return self.added_ids[token]
        return self.base.ids((token,)).get(token)

    def token(self, id: int) -> str | None:
        """The token of an id, None if no token has it; may decode the vocabulary."""
        return self.added[id].content if id in self.added else self._by_id.get(id)

    def with_added(self, tokens: Sequence[AddedToken]) -> Vocabulary:
        """This vocabulary with more tokens, added as the tokenizers library adds them.

        A token that is already there keeps its id, whatever id a file states; new tokens get the
        ids after the base and after all earlier additions.
        """
        added, ids = dict(self.added), dict(self.added_ids)
        base_ids = self.base.ids({token.content for token in tokens} - ids.keys())
        following, new = max([self.base.size, *(id + 1 for id in ids.values())]), self.new
        for token in tokens:
            if not token.content:
                continue
            if token.content in base_ids:
                ids[token.content] = base_ids[token.content]
            elif token.content not in ids:
                ids[token.content] = following
                following, new = following + 1, new + 1
            added[ids[token.content]] = token
        return Vocabulary(self.base, added, ids, new, self.only_named)

    @cached_property
    def _by_id(self) -> Mapping[int, str]:
        return {id: token for token, id in self.base.tokens.items()}


def listed(tokens: Sequence[str]) -> Table:
    """The vocabulary of a list: the id of a token is its index, the last index if it repeats."""
    return Table({token: id for id, token in enumerate(tokens)}, len(tokens))


def lines(text: str) -> Table:
    """The vocabulary of a vocab.txt, one token per line."""
    rows = text.removesuffix("\n").split("\n")
    tokens = {line.rstrip(): id for id, line in enumerate(rows)}
    return Table(tokens, len(tokens))
