"""An error that a real run was seen to end with, and what helped."""

from __future__ import annotations

from msgspec import Struct


class Known(Struct, frozen=True):
    """A pattern of `Type: message`, its cause as a sentence, and the change that helped."""

    pattern: str
    cause: str
    remedy: str
