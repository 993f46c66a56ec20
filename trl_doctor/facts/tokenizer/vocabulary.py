"""Vocabularies as their files hold them, and the ids that tokens get when they are added."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from trl_doctor.files.document import Unreadable

T = TypeVar("T")

ESCAPE = re.compile(rb"\\(?:[\"\\]|u003.)")
ALL_BUT_MARKS = bytes(byte for byte in range(256) if byte != ord('"'))
ENTRY = re.compile(rb'("(?:[^"\\]|\\.)*")\s*:\s*(\d{1,15})\s*[,}]')
SEARCHABLE = frozenset("<[({|#@$*_")
"""First characters of special tokens that stand in JSON text as they are."""


@dataclass(frozen=True)
class AddedToken:
    """A token that text is searched for before the model sees it."""

    content: str
    special: bool = False
    normalized: bool = True
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False


@dataclass(frozen=True)
class Table:
    """A base vocabulary, token to id. `size` counts its entries: the id of the first one added."""

    tokens: Mapping[str, int]
    size: int

    def ids(self, tokens: Iterable[str]) -> dict[str, int]:
        """The ids of those among `tokens` that the vocabulary has."""
        return {token: self.tokens[token] for token in tokens if token in self.tokens}


@dataclass(frozen=True)
class Encoded:
    """A base vocabulary still in its JSON text, `{"token": id, …}`: searched, rarely decoded.

    Decoding 150,000 tokens takes longer than all else that is asked of a tokenizer together.
    """

    file: Path
    text: bytes = field(repr=False)
    _searched: dict[str, dict[str, int]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @cached_property
    def tokens(self) -> Mapping[str, int]:
        """Every token and its id; raises `Unreadable` where the text is no such mapping."""
        return self._decoded(self.text, dict[str, int])

    @cached_property
    def size(self) -> int:
        """How many entries there are: half as many as quotation marks that are not escaped."""
        marks = len(self.text.translate(None, ALL_BUT_MARKS))
        return (marks - self._escapes[b'\\"']) // 2

    def ids(self, tokens: Iterable[str]) -> dict[str, int]:
        wanted = set(tokens)
        starts = {token[:1] for token in wanted}
        plain = not self._escapes.keys() - {b'\\"', b"\\\\"}
        if "tokens" in self.__dict__ or not starts <= SEARCHABLE or not plain:
            return {token: self.tokens[token] for token in wanted if token in self.tokens}
        for start in starts - self._searched.keys():
            self._searched[start] = dict(self._starting(start))
        return {t: self._searched[t[:1]][t] for t in wanted if t in self._searched[t[:1]]}

    @cached_property
    def _escapes(self) -> Counter[bytes]:
        return Counter(ESCAPE.findall(self.text))

    def _starting(self, start: str) -> Iterator[tuple[str, int]]:
        """The tokens that begin with a searchable character."""
        mark = b'"' + start.encode()
        at = self.text.find(mark)
        while at >= 0:
            entry = ENTRY.match(self.text, at) if self.text[at - 1 : at] != b"\\" else None
            if entry:
                yield self._decoded(entry[1], str), int(entry[2])
            at = self.text.find(mark, at + 1)

    def _decoded(self, text: bytes, form: type[T]) -> T:
        try:
            return msgspec.json.decode(text, type=form)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise Unreadable(self.file, "invalid", f"has an unusable vocabulary: {error}") from None


Base: TypeAlias = Table | Encoded


@dataclass(frozen=True)
class Vocabulary:
    """A base vocabulary and what was added to it, in the order in which it was added."""

    base: Base
    added: Mapping[int, AddedToken] = field(default_factory=dict)
    added_ids: Mapping[str, int] = field(default_factory=dict)
    new: int = 0

    @property
    def length(self) -> int:
        """How many tokens there are, `new` of them behind the base: `len(tokenizer)`."""
        return self.base.size + self.new

    @cached_property
    def highest(self) -> int:
        """The highest id of any token, -1 where there is none; decodes the vocabulary."""
        ids = self.base.tokens.values()
        return max(max(ids, default=-1), max(self.added_ids.values(), default=-1))

    def id(self, token: str) -> int | None:
        """The id of a token, None where there is no such token."""
        if token in self.added_ids:
            return self.added_ids[token]
        return self.base.ids((token,)).get(token)

    def token(self, id: int) -> str | None:
        """The token of an id, None where no token has it; may decode the vocabulary."""
        return self.added[id].content if id in self.added else self._by_id.get(id)

    def with_added(self, tokens: Sequence[AddedToken]) -> Vocabulary:
        """This vocabulary after tokens were added to it, as the tokenizers library adds them.

        A token that is there keeps its id, whatever id a file claims for it; the new ones get
        the ids behind the base and behind all that was added before.
        """
        added, ids = dict(self.added), dict(self.added_ids)
        known = self.base.ids({token.content for token in tokens} - ids.keys())
        following, new = max([self.base.size, *(id + 1 for id in ids.values())]), self.new
        for token in tokens:
            if not token.content:
                continue
            if token.content in known:
                ids[token.content] = known[token.content]
            elif token.content not in ids:
                ids[token.content] = following
                following, new = following + 1, new + 1
            added[ids[token.content]] = token
        return Vocabulary(self.base, added, ids, new)

    @cached_property
    def _by_id(self) -> Mapping[int, str]:
        return {id: token for token, id in self.base.tokens.items()}


def listed(tokens: Sequence[str]) -> Table:
    """The vocabulary of a list: a token's id is its place, the last one where it repeats."""
    return Table({token: id for id, token in enumerate(tokens)}, len(tokens))


def lines(text: str) -> Table:
    """The vocabulary of a vocab.txt, a token a line."""
    found = text.removesuffix("\n").split("\n")
    tokens = {line.rstrip(): id for id, line in enumerate(found)}
    return Table(tokens, len(tokens))
