"""What a report shows of a finding: why it matters, once for each rule, what to do, its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trl_doctor.checkup.report import Entry, Spot


def explained(entries: Iterable[Entry]) -> Iterator[tuple[Entry, str]]:
    """Each finding with the first paragraph of its rule's reason; empty if it was given before."""
    before: set[str] = set()
    for entry in entries:
        yield entry, "" if entry.rule in before else entry.why.partition("\n\n")[0]
        before.add(entry.rule)


def needs_remedy(entry: Entry) -> bool:
    """Whether the remedy adds something: there is no fix, or the fix is only a guess."""
    return entry.fix is None or (entry.own_remedy and not entry.fix.safe)


def shows_line(at: Spot) -> bool:
    """Whether the line is worth showing: a key of a file, or any line of a script."""
    script = at.file.endswith((".py", ".ipynb"))
    return at.within is not None and (bool(at.pointer) or not at.text or script)
