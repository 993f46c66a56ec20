"""The pieces of a sentencepiece model, read from its protocol buffer message."""

from __future__ import annotations

from collections.abc import Iterable


def pieces(model: bytes) -> list[str]:
    """The pieces in the order of their ids; raises `ValueError` where there are none to read."""
    found = [_text(piece) for number, piece in _fields(model) if number == 1]
    if not found:
        raise ValueError("it has no pieces")
    return found


def _text(piece: bytes) -> str:
    return next((value.decode() for number, value in _fields(piece) if number == 1), "")


def _fields(message: bytes) -> Iterable[tuple[int, bytes]]:
    """Number and content of the fields that have a length; all others are passed over."""
    at = 0
    while at < len(message):
        key, at = _number(message, at)
        kind = key & 7
        if kind == 0:
            _, at = _number(message, at)
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
    """The variable-length number at a place, and the place behind it."""
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
