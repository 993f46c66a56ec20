"""The pieces of a sentencepiece model, parsed from its protocol buffer message."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from trl_doctor.facts.tokenizer.vocabulary import AddedToken
from trl_doctor.files import document
from trl_doctor.files.document import Unreadable

CONTROL, USER_DEFINED = 3, 4


class Piece(Struct, frozen=True):
    """A token of the model and its kind, a number of sentencepiece's `Type`."""

    text: str
    kind: int = 1


def read_pieces(file: Path) -> list[Piece]:
    """Read the pieces in the order of their ids; raises `Unreadable`."""
    data = document.read_bytes(file)
    try:
        pieces = [_piece(content) for key, content in _fields(data) if key == 1]
    except (ValueError, TypeError) as error:
        raise Unreadable(file, "invalid", f"is no sentencepiece model: {error}") from None
    if not pieces:
        raise Unreadable(file, "invalid", "is no sentencepiece model: it has no pieces")
    return pieces


def controls(pieces: Sequence[Piece]) -> list[AddedToken]:
    """The pieces that the tokenizer matches in text like added tokens."""
    kinds = (CONTROL, USER_DEFINED)
    return [AddedToken(p.text, p.kind == CONTROL, False) for p in pieces if p.kind in kinds]


def _piece(message: object) -> Piece:
    if not isinstance(message, bytes):
        raise ValueError("a piece is a number")
    text, kind = "", 1
    for key, content in _fields(message):
        if key == 1 and isinstance(content, bytes):
            text = content.decode()
        elif key == 3 and isinstance(content, int):
            kind = content
    return Piece(text, kind)


def _fields(message: bytes) -> Iterator[tuple[int, bytes | int]]:
    """The key and content of each field; fields with numbers of a fixed width are skipped."""
    at = 0
    while at < len(message):
        key, at = _number(message, at)
        kind = key & 7
        if kind == 0:
            value, at = _number(message, at)
            yield key >> 3, value
        elif kind == 2:
            length, at = _number(message, at)
            if at + length > len(message):
                raise ValueError("a field ends behind its message")
            yield key >> 3, message[at : at + length]
            at += length
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            raise ValueError(f"a field is of the unknown kind {kind}")


def _number(message: bytes, at: int) -> tuple[int, int]:
    """The variable-length number at an offset, and the offset after it."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            break
        byte = message[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
    raise ValueError("a number does not end")
