"""A notebook's text without what its cells have printed, which may be nearly all of it."""

from __future__ import annotations

import json
import re

from msgspec import Struct

SMALL = 4096
"""Characters; shorter outputs stay."""

OUTPUTS = re.compile(r'"outputs"[ \t\r\n]*:[ \t\r\n]*(?=\[)')
"""The key of a cell's outputs: inside a text of JSON its quotes would be escaped."""


class Slim(Struct, frozen=True):
    """`text` has a mark instead of each long list of outputs.

    `cut` are the lists, each with the index of its mark in `text`.
    """

    text: str
    cut: tuple[tuple[int, str], ...] = ()

    def original(self, index: int) -> int:
        """The index in the whole text of what is at an index of `text`."""
        more = (len(part) - len(_mark(number)) for number, (at, part) in enumerate(self.cut)
                if at < index)  # fmt: skip
        return index + sum(more)

    def restored(self, text: str) -> str:
        """An edited `text` with its outputs."""
        for number, (_, part) in enumerate(self.cut):
            text = text.replace(_mark(number), part, 1)
        return text


def slim(text: str) -> Slim:
    """The text of a notebook that is valid JSON."""
    decoder = json.JSONDecoder(strict=False)
    pieces: list[str] = []
    cut: list[tuple[int, str]] = []
    position = length = 0
    while match := OUTPUTS.search(text, position):
        try:
            end = decoder.raw_decode(text, match.end())[1]
        except (ValueError, RecursionError):
            break
        start = match.end()
        piece = text[position:start] if end - start > SMALL else text[position:end]
        pieces.append(piece)
        length += len(piece)
        if end - start > SMALL:
            pieces.append(_mark(len(cut)))
            cut.append((length, text[start:end]))
            length += len(pieces[-1])
        position = end
    return Slim("".join([*pieces, text[position:]]), tuple(cut))


def _mark(number: int) -> str:
    return f'["trl-doctor: outputs {number}"]'
