"""Plans a repair: the edits of all fixes, made in memory and checked before a byte is written."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from trl_doctor.checkup.checkup import Checkup
from trl_doctor.files.document import Unreadable
from trl_doctor.files.edit import CannotEdit
from trl_doctor.files.source.document import Script
from trl_doctor.repair.edits import make
from trl_doctor.repair.objection import key, objection
from trl_doctor.repair.overlay import Shadow
from trl_doctor.repair.steps import Repair, Step

ROUNDS = 5
"""How often a repaired run is examined again for further repairs."""

Reexamine = Callable[[Mapping[Path, Path]], Checkup]
"""Examines the same target again with some folders and files found elsewhere."""


def plan(checkup: Checkup, reexamine: Reexamine, *, unsafe: bool) -> Repair:
    """Apply all fixes that may be applied, in memory.

    A fix is held back when it cannot be applied, conflicts with another, does not silence its rule,
    or makes a rule report something new.
    """
    file = checkup.run.file
    repair = Repair(script=file if isinstance(file, Script) else None)
    with tempfile.TemporaryDirectory(prefix="trl-doctor-") as folder:
        shadow = Shadow(Path(folder), checkup.run)
        for _ in range(ROUNDS):
            steps = [step for step in _steps(checkup, unsafe) if not _tried(repair, step)]
            if not steps:
                break
            checkup = _round(repair, shadow, checkup, steps, reexamine, unsafe)
    return repair


def _steps(checkup: Checkup, unsafe: bool) -> Iterator[Step]:
    for outcome, finding in checkup.findings:
        if finding.fix and (finding.fix.safe or unsafe):
            yield Step(outcome.rule.name, finding, finding.fix)


def _tried(repair: Repair, step: Step) -> bool:
    this = step.rule, step.fix.message
    return any(
        (earlier.rule, earlier.fix.message) == this for earlier in (*repair.applied, *repair.held)
    )


def _round(
    repair: Repair,
    shadow: Shadow,
    before: Checkup,
    steps: list[Step],
    reexamine: Reexamine,
    unsafe: bool,
) -> Checkup:
    """Try all steps together; if that fails, one by one, and keep those that succeed."""
    for batch in ([steps], [[step] for step in steps]):
        checkup = before
        for group in batch:
            group = [step for step in group if not _tried(repair, step)]
            try:
                checkup = _tried_out(repair, shadow, checkup, group, reexamine, unsafe)
            except (CannotEdit, Unreadable, OSError) as reason:
                if len(group) == 1:
                    repair.held.append(replace(group[0], reason=str(reason)))
        if checkup is not before or len(batch) == len(steps):
            return checkup
    return before


def _tried_out(
    repair: Repair,
    shadow: Shadow,
    before: Checkup,
    group: list[Step],
    reexamine: Reexamine,
    unsafe: bool,
) -> Checkup:
    """Take the steps over if they go right, with the fixes of what they make rules say.

    Gives the checkup of the result; raises `CannotEdit` if they do not go right.
    """
    contents, placed = dict(repair.after), dict(repair.placed)
    steps, following = [], group
    for _ in range(ROUNDS):
        for step in following:
            make(repair, shadow, step, contents, placed)
        steps += following
        after = reexamine(shadow.show(contents))
        problem = objection(before, after, steps)
        if not problem:
            repair.after, repair.placed = contents, placed
            repair.applied += steps
            return after
        old_keys = {key(outcome.rule.name, finding) for outcome, finding in before.findings}
        following = [
            step for step in _steps(after, unsafe) if key(step.rule, step.finding) not in old_keys
        ]
        if not following:
            break
    raise CannotEdit(problem)
