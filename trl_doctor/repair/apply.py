"""Repairs a run: plans, writes all files together, and examines the result."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from msgspec.structs import replace

from trl_doctor.checkup import launch_targets
from trl_doctor.checkup.checkup import Checkup
from trl_doctor.checkup.opening import open_run
from trl_doctor.checkup.session import Session
from trl_doctor.core.plain import plain, shown
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.target import Target, target
from trl_doctor.repair import copying
from trl_doctor.repair.plan import plan
from trl_doctor.repair.steps import Repair, Step
from trl_doctor.repair.writing import write as writing
from trl_doctor.repair.writing.recovery import recover


def recovered(session: Session, target: Target) -> list[str]:
    """End what a killed repair of this target left half made; a sentence for each thing done.

    Looks into the folders of the run's models too. Raises `writing.WriteRefused`.
    """
    lines = recover(home(target))
    models = open_run(target, session.environment, session.options).models.values()
    paths = [model.folder.path for model in models if not isinstance(model.folder, Unavailable)]
    return lines + [line for path in dict.fromkeys(paths) for line in recover(path)]


def home(target: Target) -> Path:
    """The folder that the user named, in which the originals of a repair are kept."""
    return target.path if target.kind == "model" else target.path.parent


def copied(session: Session, checkup: Checkup, into: Path) -> tuple[Checkup, tuple[str, ...]]:
    """The checkup of a fresh copy of the target, and a sentence for each edit that was not made.

    Raises `copying.CannotCopy`.
    """
    copied = copying.copy(checkup, into)
    copy = target(str(copied.path), offline=True)
    return session.examine(replace(copy, beside=checkup.run.roots)), copied.held


def repaired(session: Session, checkup: Checkup, *, unsafe: bool) -> tuple[Checkup, list[str], str]:
    """Apply the fixes; gives the checkup of the result, and a sentence for each thing done.

    The last text says why nothing could be written; it is empty if that is not so.
    """
    repair = _planned(session, checkup, unsafe)
    changes = [writing.Change(path, before, after) for path, before, after in repair.changed()]
    lines = [_held(step) for step in repair.held]
    if not changes:
        return checkup, [*lines, _nothing(checkup, repair, unsafe)], ""
    target = checkup.run.target
    try:
        receipt = writing.write(changes, [home(target)])
    except writing.WriteRefused as reason:
        return checkup, lines, f"not written: {reason}"
    files = ", ".join(plain(shown(change.path)) for change in changes)
    folders = [records.parent for records in receipt.kept]
    where = _named(target) if Path(os.path.realpath(home(target))) in folders else folders[0]
    lines += [_line("repaired", step) for step in repair.applied]
    lines.append(f"wrote {files}; to undo it: trl-doctor undo {plain(shown(where))}")
    if target.launched_by is not None:
        target = launch_targets.started_again(target, target.launched_by)
    return session.examine(target), lines, ""


def _named(target: Target) -> Path:
    """The file that the user named, if what it starts is in its folder."""
    launcher = target.launched_by
    return launcher if launcher and launcher.parent == home(target) else target.path


def _nothing(checkup: Checkup, repair: Repair, unsafe: bool) -> str:
    if repair.held:
        return "nothing was repaired"
    more = sum(bool(finding.fix and not finding.fix.safe) for _, finding in checkup.findings)
    if unsafe or not more:
        return "nothing to repair"
    noun = "repair needs" if more == 1 else "repairs need"
    return f"nothing to repair safely; {more} {noun} --unsafe-fixes"


def _held(step: Step) -> str:
    return _line("not repaired", step) + f": {plain(step.reason)}"


def _line(verb: str, step: Step) -> str:
    return f"{verb}: {plain(step.fix.message)} ({step.rule})"


def diff(session: Session, checkup: Checkup, *, unsafe: bool) -> tuple[bytes, list[str]]:
    """What `--fix` would change, as a unified diff; and what it would not, a sentence each."""
    parts: list[bytes] = []
    repair = _planned(session, checkup, unsafe)
    lines = [_held(step) for step in repair.held]
    for path, before, after in repair.changed():
        name = _quoted(os.fsencode(shown(path)))
        source = name if before is not None else b"/dev/null"
        old, new = _lines(before or b""), _lines(after)
        parts += difflib.diff_bytes(difflib.unified_diff, old, new, source, name)
    return b"".join(parts), lines if parts else [*lines, _nothing(checkup, repair, unsafe)]


def _lines(data: bytes) -> list[bytes]:
    """The lines as diff and patch see them: only a line feed ends one."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    last = lines.pop()
    if last != b"\n":
        lines.append(last + b"\\ No newline at end of file\n")
    return lines


def _quoted(name: bytes) -> bytes:
    """A file's name so that patch reads it back, whatever is in it."""
    if all(32 < byte < 127 and byte not in b'"\\' for byte in name):
        return name
    plainly = (bytes([b]) if 32 <= b < 127 and b not in b'"\\' else b"\\%03o" % b for b in name)
    return b'"' + b"".join(plainly) + b'"'


def _planned(session: Session, checkup: Checkup, unsafe: bool) -> Repair:
    return plan(
        checkup,
        lambda moved: session.examine(checkup.run.target, dict(moved)),
        unsafe=unsafe,
    )
