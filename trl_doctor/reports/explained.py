"""What a report adds to a finding: why it matters, once for each rule, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trl_doctor.checkup.report import Entry


def explained(entries: Iterable[Entry]) -> Iterator[tuple[Entry, str]]:
    """Each finding with the first paragraph of its rule's reason; empty if it was given before."""
    before: set[str] = set()
    for entry in entries:
        yield entry, "" if entry.rule in before else entry.why.partition("\n\n")[0]
        before.add(entry.rule)


def needs_remedy(entry: Entry) -> bool:
    """Whether the remedy adds something: there is no fix, or the fix is only a guess."""
    return entry.fix is None or (entry.own_remedy and not entry.fix.safe)
