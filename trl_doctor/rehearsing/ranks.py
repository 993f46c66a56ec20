"""Compares what the processes of one training say about their rows."""

from __future__ import annotations

from collections.abc import Iterable

from trl_doctor.rehearsing.events import Event

FEWEST = 4
"""Rows that two processes have in common, at least, where one is judged."""


def moved_rows(trainers: Iterable[Event]) -> tuple[int, int] | None:
    """How many rows that one process evaluates on another trains on, and of how many.

    None if both have the same rows in one order.

    Rows that each process writes anew, with a time or with examples that it draws, do not move.
    """
    by_rank = {event["rank"]: event.get("marks") for event in trainers}
    own, other = by_rank.get(0), by_rank.get(1)
    if not own or not other:
        return None
    (rows, tests), (others, _) = own, other
    if rows is None or others is None:
        return None
    places = {mark: at for at, mark in enumerate(others) if others.count(mark) == 1}
    common = [(at, places[mark]) for at, mark in enumerate(rows)
              if mark in places and rows.count(mark) == 1]  # fmt: skip
    moved = sum(here != there for here, there in common)
    if len(common) < FEWEST or moved < len(common) / 2:
        return None
    return sum(mark in places for mark in tests or ()), len(tests or ())
