"""The edits of a fix, made in memory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from trl_doctor.core.finding import Copy, Edit, Put, Remove, route
from trl_doctor.files.document import parse
from trl_doctor.files.edit import CannotEdit, apply, same_value
from trl_doctor.files.key_name import with_other_name
from trl_doctor.files.launch import renaming
from trl_doctor.files.regular import bytes_of
from trl_doctor.repair.overlay import Shadow
from trl_doctor.repair.steps import Repair, Step
from trl_doctor.repair.text_sample import token_ids


def make(
    repair: Repair,
    shadow: Shadow,
    step: Step,
    contents: dict[Path, bytes],
    placed: dict[tuple[Path, str], Edit],
) -> None:
    """Make a step's edits in `contents`; an edit that was made already is not made twice."""
    in_text: dict[Path, list[Put | Remove]] = {}
    in_place: set[Path] = set()
    for edit in step.fix.edits:
        file = shadow.origin(edit.file)
        may_change = file == shadow.origin(step.finding.place.file) and shadow.beside(file)
        launches = file == shadow.launcher and step.finding.place.file.name == file.name
        if not (shadow.covers(file) or may_change or launches):
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
        in_script = repair.script is not None and file == shadow.alone
        if (launches or in_script) and not isinstance(edit, Copy):
            in_text.setdefault(file, []).append(edit)
            continue
        if isinstance(edit, Remove) and file in in_place:
            continue
        if (renamed := _renamed(current, step.fix.edits)) is not None:
            in_place.add(file)
            contents[file] = renamed
            continue
        contents[file] = _edited(current, edit)
        if file.name == "tokenizer.json" and current and not step.fix.changes_tokens:
            _refuse_other_tokens(current, contents[file])
    for file, edits in in_text.items():
        current = contents.get(file, repair.before[file]) or b""
        contents[file] = _in_text(repair, shadow, file, current, edits)


def _in_text(
    repair: Repair, shadow: Shadow, file: Path, current: bytes, edits: list[Put | Remove]
) -> bytes:
    """A launch file or a script with edits of what one line or one call says."""
    own = repair.script
    if file == shadow.launcher and shadow.launch and renaming.of_line(own, file, edits):
        return renaming.edited(file, current, shadow.launch, edits)
    if repair.script is None or repair.script.again is None:
        raise CannotEdit("the script cannot be read again")
    return repair.script.again(current).edited(edits)


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


def _renamed(current: bytes | None, edits: Sequence[Edit]) -> bytes | None:
    """A run file with a key under its new name in its old place; None if the fix is not that."""
    if current is None or len(edits) != 2:
        return None
    new, old = edits
    if not (isinstance(new, Put) and isinstance(old, Remove) and new.file == old.file):
        return None
    return with_other_name(parse(new.file, current), route(old.pointer), route(new.pointer))


def _edited(current: bytes | None, edit: Edit) -> bytes:
    if isinstance(edit, Copy):
        return _bytes(edit.source)
    before = parse(edit.file, b"{}\n" if current is None else current)
    assert before.format != "python"
    return apply(before.data, [edit], kind=before.format)
