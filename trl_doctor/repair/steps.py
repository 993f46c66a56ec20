"""A fix on its way into the files, and what is planned so far."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, field

from trl_doctor.core.finding import Edit, Finding, Fix
from trl_doctor.files.source.document import Script


class Step(Struct, frozen=True):
    """One fix of one rule's finding; `reason` says why it was held back."""

    rule: str
    finding: Finding
    fix: Fix
    reason: str = ""


class Repair(Struct):
    """The planned contents by file, the bytes they are based on, and the result of each fix.

    `script` is the run's own file where that is one.
    `placed` has the applied edits by what they change: a file and a pointer in it.
    """

    before: dict[Path, bytes | None] = field(default_factory=dict)
    after: dict[Path, bytes] = field(default_factory=dict)
    placed: dict[tuple[Path, str], Edit] = field(default_factory=dict)
    script: Script | None = None
    applied: list[Step] = field(default_factory=list)
    held: list[Step] = field(default_factory=list)

    def changed(self) -> Iterator[tuple[Path, bytes | None, bytes]]:
        """The files that really change: path, bytes before (None: no such file), bytes after."""
        for path, after in self.after.items():
            if self.before[path] != after:
                yield path, self.before[path], after
