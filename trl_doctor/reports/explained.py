"""Findings with the reason why they matter, which is the same for all findings of one rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trl_doctor.checkup.report import Entry


def explained(entries: Iterable[Entry]) -> Iterator[tuple[Entry, str]]:
    """Each finding with the first paragraph of its rule's reason; empty if it was given before."""
    before: set[str] = set()
    for entry in entries:
        yield entry, "" if entry.rule in before else entry.why.partition("\n\n")[0]
        before.add(entry.rule)
