"""Gives a key of a run file another name where it stands, with its comment and its value."""

from __future__ import annotations

from trl_doctor.core.finding import pointer
from trl_doctor.files.document import Document, Unreadable, parse
from trl_doctor.files.edit import same_value


def with_other_name(document: Document, old: tuple[str, ...], new: tuple[str, ...]) -> bytes | None:
    """The file's bytes; None if more than this one key would change."""
    value = document.value
    if len(old) != 1 or len(new) != 1 or not isinstance(value, dict) or old[0] not in value:
        return None
    at = document.position(pointer(*old))
    lines = document.data.decode().split("\n")
    line = lines[at.line - 1]
    start = at.column - 1 + (at.line == 1 and line.startswith("\ufeff"))
    start += line[start : start + 1] in ("'", '"')
    if not line.startswith(old[0], start):
        return None
    lines[at.line - 1] = line[:start] + new[0] + line[start + len(old[0]) :]
    data = "\n".join(lines).encode()
    expected = {new[0] if key == old[0] else key: item for key, item in value.items()}
    try:
        after = parse(document.path, data).value
    except Unreadable:
        return None
    return data if len(expected) == len(value) and same_value(after, expected) else None
