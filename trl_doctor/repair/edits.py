"""The edits of a fix, made in memory."""

from __future__ import annotations

import os
from pathlib import Path

from trl_doctor.core.finding import Copy, Edit, Put, Remove
from trl_doctor.files.document import parse
from trl_doctor.files.edit import CannotEdit, apply, same_value
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
    in_script: list[Put | Remove] = []
    for edit in step.fix.edits:
        file = shadow.origin(edit.file)
        told = file == shadow.origin(step.finding.place.file) and shadow.beside(file)
        if not (shadow.covers(file) or told):
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
