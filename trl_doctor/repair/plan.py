"""Plans a repair: the edits of all fixes, made in memory and checked before a byte is written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from trl_doctor.checkup.checkup import Checkup
from trl_doctor.checkup.outcome import Outcome
from trl_doctor.core.finding import Copy, Edit, Finding, Fix, Put, Remove
from trl_doctor.files.document import Unreadable, parse
from trl_doctor.files.edit import CannotEdit, apply, same_value
from trl_doctor.files.regular import bytes_of
from trl_doctor.files.source.document import Script
from trl_doctor.repair.overlay import Shadow
from trl_doctor.repair.text_sample import token_ids

ROUNDS = 5
"""How often a repaired run is examined again for further repairs."""

Reexamine = Callable[[Mapping[Path, Path]], Checkup]
"""Examines the same target again with some folders and files found elsewhere."""


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
    key = step.rule, step.fix.message
    return any(
        (earlier.rule, earlier.fix.message) == key for earlier in (*repair.applied, *repair.held)
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

    Gives the checkup of the result; raises `CannotEdit` where they do not go right.
    """
    contents, placed = dict(repair.after), dict(repair.placed)
    steps, following = [], group
    for _ in range(ROUNDS):
        for step in following:
            _apply(repair, shadow, step, contents, placed)
        steps += following
        after = reexamine(shadow.show(contents))
        problem = _objection(before, after, steps)
        if not problem:
            repair.after, repair.placed = contents, placed
            repair.applied += steps
            return after
        old_keys = {_key(outcome.rule.name, finding) for outcome, finding in before.findings}
        following = [
            step for step in _steps(after, unsafe) if _key(step.rule, step.finding) not in old_keys
        ]
        if not following:
            break
    raise CannotEdit(problem)


def _apply(
    repair: Repair,
    shadow: Shadow,
    step: Step,
    contents: dict[Path, bytes],
    placed: dict[tuple[Path, str], Edit],
) -> None:
    """Make a step's edits in `contents`; an edit that was made already is not made twice."""
    in_script: list[Put | Remove] = []
    for edit in step.fix.edits:
        file = shadow.origin(edit.file)
        if not shadow.covers(file):
            raise CannotEdit(f"{file} is not a file of this run")
        key = file, "" if isinstance(edit, Copy) else edit.pointer
        earlier = placed.get(key)
        if earlier and _agree(earlier, edit):
            continue
        if earlier and not key[1].endswith("/-"):
            raise CannotEdit("another fix sets the same value differently")
        placed[key] = edit
        if file not in repair.before:
            repair.before[file] = _bytes(file) if os.path.lexists(file) else None
        current = contents.get(file, repair.before[file])
        if repair.script is not None and file == shadow.alone and not isinstance(edit, Copy):
            in_script.append(edit)
            continue
        contents[file] = _edited(current, edit)
        if file.name == "tokenizer.json" and current and not step.fix.changes_tokens:
            _refuse_other_tokens(current, contents[file])
    if in_script and repair.script is not None and repair.script.again is not None:
        file = shadow.alone
        current = contents.get(file, repair.before[file]) or b""
        contents[file] = repair.script.again(current).edited(in_script)


def _refuse_other_tokens(before: bytes, after: bytes) -> None:
    if token_ids(before) != token_ids(after):
        raise CannotEdit("ordinary text would get other token ids")


def _agree(first: Edit, second: Edit) -> bool:
    if isinstance(first, Put) and isinstance(second, Put):
        return same_value(first.value, second.value)
    if isinstance(first, Copy) and isinstance(second, Copy):
        return first.source.name == second.source.name and _same_bytes(first.source, second.source)
    return type(first) is type(second)


def _same_bytes(first: Path, second: Path) -> bool:
    return first == second or _bytes(first) == _bytes(second)


def _bytes(file: Path) -> bytes:
    try:
        return bytes_of(file)
    except IsADirectoryError as error:
        raise CannotEdit(f"{file.name} is {error}, not a file") from None


def _edited(current: bytes | None, edit: Edit) -> bytes:
    if isinstance(edit, Copy):
        return _bytes(edit.source)
    before = parse(edit.file, b"{}\n" if current is None else current)
    assert before.format != "python"
    return apply(before.data, [edit], kind=before.format)


def _objection(before: Checkup, after: Checkup, steps: list[Step]) -> str:
    """Why the steps are refused; empty if they are accepted."""
    old_keys = {_key(outcome.rule.name, finding) for outcome, finding in before.findings}
    repaired_keys = {_key(step.rule, step.finding) for step in steps}
    states = {outcome.rule.name: outcome.state for outcome in before.outcomes}
    for outcome in after.outcomes:
        name, state = outcome.rule.name, states.get(outcome.rule.name)
        if outcome.state in ("crashed", "skipped") and state in ("found", "clear"):
            return f"{name} could not examine the result: {outcome.reason}"
        for finding in outcome.findings:
            key = _key(name, finding)
            if key in repaired_keys:
                return "the rule would still report its finding"
            if key not in old_keys and not _moved(finding, before.findings, name, steps):
                return f"{name} would then report: {finding.message}"
    return ""


def _moved(
    finding: Finding, before: Sequence[tuple[Outcome, Finding]], rule: str, steps: list[Step]
) -> bool:
    """Whether the rule reported this before, under a key that a step has renamed."""
    renamed = {
        removed.pointer
        for step in steps
        if any(_puts(edit, finding.place.pointer) for edit in step.fix.edits)
        for removed in step.fix.edits
        if isinstance(removed, Remove)
    }
    return any(
        outcome.rule.name == rule and old.place.pointer in renamed
        and old.place.file.name == finding.place.file.name
        for outcome, old in before
    )  # fmt: skip


def _puts(edit: Edit, pointer: str) -> bool:
    return isinstance(edit, Put) and edit.pointer == pointer


def _key(rule: str, finding: Finding) -> tuple[str, str, str]:
    return rule, finding.place.file.name, finding.place.pointer
