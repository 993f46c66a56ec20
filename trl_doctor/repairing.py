"""Repairs a run: plans, writes all files together, and examines the result."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

from trl_doctor import copying, writing
from trl_doctor.checkup import Checkup
from trl_doctor.repair import Repair, plan
from trl_doctor.reports.text import plain, shown
from trl_doctor.target import Target, target
from trl_doctor.undo import recover

if TYPE_CHECKING:
    from trl_doctor.checking import Bench


def recovered(given: Target) -> list[str]:
    """End what a killed repair of this target left half made; a sentence for each thing done.

    Raises `writing.Refused`.
    """
    return recover(home(given))


def home(given: Target) -> Path:
    """The folder that the user named, in which the originals of a repair are kept."""
    return given.path if given.kind == "model" else given.path.parent


def copied(bench: Bench, checkup: Checkup, into: Path) -> Checkup:
    """The checkup of a fresh copy of the target. Raises `copying.CannotCopy`."""
    return bench.examine(target(str(copying.copy(checkup, into)), offline=True))


def repaired(bench: Bench, checkup: Checkup, *, unsafe: bool) -> tuple[Checkup, list[str]]:
    """Apply the fixes; gives the checkup of the result, and a sentence for each thing done."""
    repair = _planned(bench, checkup, unsafe)
    changes = [writing.Change(path, before, after) for path, before, after in repair.changed()]
    lines = [f"held back: {step.fix.message} ({step.rule}): {step.reason}" for step in repair.held]
    if not changes:
        return checkup, [*lines, "nothing to repair"]
    try:
        writing.write(changes, [home(checkup.run.target)])
    except writing.Refused as reason:
        return checkup, [*lines, f"nothing was written: {reason}"]
    files = ", ".join(shown(change.path) for change in changes)
    lines += [f"repaired: {plain(step.fix.message)} ({step.rule})" for step in repair.applied]
    lines.append(f"wrote {files}; trl-doctor undo {shown(checkup.run.target.path)} takes it back")
    return bench.examine(checkup.run.target), lines


def diff(bench: Bench, checkup: Checkup, *, unsafe: bool) -> str:
    """What `--fix` would change, as a unified diff; empty where it would change nothing."""
    parts: list[str] = []
    for path, before, after in _planned(bench, checkup, unsafe).changed():
        old, new = (_lines(data) for data in (before or b"", after))
        name = shown(path)
        source = name if before is not None else "/dev/null"
        parts += difflib.unified_diff(old, new, source, name)
    return "".join(parts)


def _lines(data: bytes) -> list[str]:
    lines = data.decode("utf-8", "replace").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


def _planned(bench: Bench, checkup: Checkup, unsafe: bool) -> Repair:
    return plan(
        checkup,
        lambda moved: bench.examine(checkup.run.target, dict(moved)),
        unsafe=unsafe,
    )
