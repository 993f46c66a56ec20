"""Edits of JSON and YAML bytes that change what they name and leave every other byte alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Literal, TypeAlias

from msgspec import Struct

from trl_doctor.core.finding import Json, Put, Remove, pointer, route
from trl_doctor.files.formats import json_text
from trl_doctor.files.formats.text import BYTE_ORDER_MARK, CannotEdit, Invalid, decoded, list_index

__all__ = ["CannotEdit", "apply", "same_value"]

Route: TypeAlias = tuple[str, ...]

YAML_WORK = 512 * 1024
"""Characters of YAML that are read for the edits of one file: some seconds."""


def apply(data: bytes, edits: Sequence[Put | Remove], *, kind: Literal["json", "yaml"]) -> bytes:
    """The bytes after the edits, each applied to the result of the previous ones.

    Order, indentation, line ends, escapes, comments and a byte order mark stay; an edit to a
    value that is already there changes nothing. The result is read again and contains
    exactly the expected value. Raises `CannotEdit` otherwise.
    """
    try:
        text = decoded(data)
        mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
        text = text.removeprefix(BYTE_ORDER_MARK)
        value = _parsed(text, kind)
    except Invalid as error:
        raise CannotEdit(f"the file {error.problem}") from None
    work = 0
    for edit in edits:
        for step in _steps(value, edit):
            work += len(text)
            if kind == "yaml" and work > YAML_WORK:
                raise CannotEdit("the file is too large for so many changes")
            value = _expected(value, step.route, step)
            text = _verified(text, step, kind, value)
    return (mark + text).encode()


def same_value(first: Json, second: Json) -> bool:
    """Whether two values are equal in type too: 1, 1.0 and true differ, nan equals itself.

    Of a mapping with values that are not known, those that are known are compared.
    """
    if type(first) is not type(second):
        return False
    if isinstance(first, dict) and isinstance(second, dict):
        return len(first) == len(second) and all(
            dict.__contains__(second, key) and same_value(value, dict.__getitem__(second, key))
            for key, value in dict.items(first)
        )
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(same_value, first, second))
    return repr(first) == repr(second) if isinstance(first, float) else first == second


class _Step(Struct, frozen=True):
    """One splice: what to do at a route; to append is to add an item to the list there."""

    action: Literal["replace", "add", "append", "remove"]
    route: Route
    value: Json = None


def _steps(value: Json, edit: Put | Remove) -> Iterator[_Step]:
    if edit.pointer and not edit.pointer.startswith("/"):
        raise CannotEdit(f"{edit.pointer!r} is no JSON pointer")
    keys = route(edit.pointer)
    if not keys:
        if isinstance(edit, Remove):
            raise CannotEdit("a whole file is not removed by an edit")
        yield from _changes((), value, edit.value)
        return
    if isinstance(edit, Remove):
        if _reaches(value, keys):
            yield _Step("remove", keys)
        return
    holder, last = _at(value, keys[:-1]), keys[-1]
    if _reaches(holder, (last,)):
        yield from _changes(keys, _at(value, keys), edit.value)
    elif isinstance(holder, dict):
        yield _Step("add", keys, edit.value)
    elif isinstance(holder, list) and last in ("-", str(len(holder))):
        yield _Step("append", keys[:-1], edit.value)
    else:
        raise CannotEdit(f"{pointer(*keys[:-1]) or 'the file'} holds no place for {last!r}")


def _changes(keys: Route, old: Json, new: Json) -> Iterator[_Step]:
    """The smallest steps that turn the old value at a route into the new one."""
    if same_value(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict) and old and new:
        for key, value in new.items():
            if key in old:
                yield from _changes((*keys, key), old[key], value)
            else:
                yield _Step("add", (*keys, key), value)
        yield from (_Step("remove", (*keys, key)) for key in old if key not in new)
    elif isinstance(old, list) and isinstance(new, list) and old and new:
        yield from _list_changes(keys, old, new)
    else:
        yield _Step("replace", keys, new)


def _list_changes(keys: Route, old: list[Json], new: list[Json]) -> Iterator[_Step]:
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if not same_value(old[i], new[i])), shorter)
    tail = 0
    while tail < shorter - head and same_value(old[-1 - tail], new[-1 - tail]):
        tail += 1
    if len(old) == len(new):
        for index in range(head, len(old) - tail):
            yield from _changes((*keys, str(index)), old[index], new[index])
    elif head + tail == len(new):
        for index in reversed(range(head, len(old) - tail)):
            yield _Step("remove", (*keys, str(index)))
    elif head == len(old):
        yield from (_Step("append", keys, item) for item in new[head:])
    else:
        yield _Step("replace", keys, new)


def _at(value: Json, keys: Route) -> Json:
    for index, key in enumerate(keys):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and (place := list_index(key)) in range(len(value)):
            value = value[place or 0]
        else:
            raise CannotEdit(f"there is no {pointer(*keys[: index + 1])}")
    return value


def _reaches(value: Json, keys: Route) -> bool:
    try:
        _at(value, keys)
    except CannotEdit:
        return False
    return True


def _expected(value: Json, keys: Route, step: _Step) -> Json:
    """The value with the step taken, in new lists and dicts along its route."""
    if not keys:
        if step.action == "append" and isinstance(value, list):
            return [*value, step.value]
        return step.value
    key, remaining = keys[0], keys[1:]
    drops = step.action == "remove" and not remaining
    if isinstance(value, dict):
        if drops:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: _expected(value.get(key), remaining, step)}
    assert isinstance(value, list)
    index = int(key)
    inner = [] if drops else [_expected(value[index], remaining, step)]
    return [*value[:index], *inner, *value[index + 1 :]]


def _parsed(text: str, kind: str) -> Json:
    if kind == "json":
        return json_text.parse(text.encode())
    from trl_doctor.files.formats import yaml_text

    return yaml_text.parsed(text).content


def _spliced(text: str, step: _Step, kind: str) -> str:
    splice, keys = _splice(kind), step.route
    result: str
    if step.action == "replace":
        result = splice.replaced(text, keys, step.value)
    elif step.action == "remove":
        result = splice.removed(text, keys)
    elif step.action == "append":
        result = splice.added(text, keys, None, step.value)
    else:
        result = splice.added(text, keys[:-1], keys[-1], step.value)
    return result


def _splice(kind: str) -> ModuleType:
    if kind == "json":
        from trl_doctor.files.formats import json_splice

        return json_splice
    from trl_doctor.files.formats import yaml_splice

    return yaml_splice


def _verified(text: str, step: _Step, kind: str, expected: Json) -> str:
    """The text with the step taken; raises `CannotEdit` if it does not hold what it should."""
    try:
        text = _spliced(text, step, kind)
        if same_value(_parsed(text, kind), expected):
            return text
    except (Invalid, UnicodeEncodeError):
        pass
    place = pointer(*step.route) or "the file"
    raise CannotEdit(f"to {step.action} {place} in this text would change more than that")
