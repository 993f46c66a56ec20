"""JSON text: its value, as Python's json reads it."""

from __future__ import annotations

import gc
import json
import re

from trl_doctor.core.finding import Json
from trl_doctor.files.formats.text import (
    BYTE_ORDER_MARK,
    DEPTH_LIMIT,
    Invalid,
    Position,
    decoded,
    measure,
    position,
    too_deep,
)

CONTAINER_LIMIT = 2_000_000
"""A text with more opening brackets than this is refused, to bound the memory of its value."""

LARGE = 256 * 1024
"""From so many bytes on, msgspec is quicker than json although it must be imported first."""


def parse(data: bytes) -> Json:
    """The value that `json.loads` gives for this text; NaN and lone surrogates are accepted.

    Of equal keys the last wins. Raises `Invalid` for whatever json refuses, for a byte order
    mark, and for what passes the limits.
    """
    opened = data.count(b"[") + data.count(b"{")
    if opened > CONTAINER_LIMIT:
        flaw = f"holds more than {CONTAINER_LIMIT:,} lists and objects"
        raise Invalid(flaw, flaw="too-large")
    try:
        value = _value(data)
    except RecursionError:
        raise _too_deep(data) from None
    if opened > DEPTH_LIMIT and measure(value)[1] > DEPTH_LIMIT:
        raise _too_deep(data)
    return value


def _value(data: bytes) -> Json:
    if len(data) >= LARGE:
        import msgspec

        collects = gc.isenabled()
        gc.disable()  # a third of the time goes to looking for garbage that is not there
        try:
            return msgspec.json.decode(data)  # type: ignore[no-any-return]
        except (msgspec.MsgspecError, UnicodeDecodeError):
            pass  # json decides: it accepts NaN and more, and gives the place of a mistake
        finally:
            if collects:
                gc.enable()
    text = decoded(data)
    if text.startswith(BYTE_ORDER_MARK):
        problem = "starts with a byte order mark, which Python's json refuses: save it without"
        raise Invalid(problem, Position(1, 1))
    try:
        return json.loads(text)  # type: ignore[no-any-return]
    except json.JSONDecodeError as error:
        from trl_doctor.files.formats.json_places import explained

        raise explained(text, error) from None
    except ValueError:
        at = re.search(r"[0-9]{4000}", text)
        problem = "is not valid JSON: a number has more digits than Python reads"
        raise Invalid(problem, position(text, at.start()) if at else None) from None


def _too_deep(data: bytes) -> Invalid:
    from trl_doctor.files.formats.json_places import depth_place

    return too_deep(depth_place(decoded(data)))
