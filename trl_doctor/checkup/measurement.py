"""A measurement of the real libraries, as a chart shows it."""

from __future__ import annotations

from msgspec import Struct


class Measurement(Struct, frozen=True):
    """Measured numbers worth drawing: one bar a value, or parts of one whole.

    `limit` is a value that must not be reached or passed, None for none.
    """

    title: str
    unit: str
    values: tuple[tuple[str, float], ...]
    kind: str = "bars"
    limit: float | None = None
    note: str = ""
