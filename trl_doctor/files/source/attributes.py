"""Attributes of the objects of a script: what they hold, and what setting them does."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import PurePosixPath

from trl_doctor.files.source import functions
from trl_doctor.files.source.command_line.keys import read_line, typed
from trl_doctor.files.source.command_line.refused_words import note_missing
from trl_doctor.files.source.comprehensions import taken
from trl_doctor.files.source.containers import as_table
from trl_doctor.files.source.joined import joined
from trl_doctor.files.source.objects import Arguments, Class, Function, Instance, same
from trl_doctor.files.source.state import SWEEP, Question, State
from trl_doctor.files.source.values import (
    Deed,
    LibraryObject,
    Many,
    NamedValue,
    Outside,
    Plain,
    Table,
    Unknown,
    Value,
)

NOWHERE = ast.Pass()
"""The place of the options of a sweep: none in the script."""

PARTS = ("parent", "name", "stem", "suffix")
"""Parts of a path: a text itself has none of them."""


def attribute(state: State, owner: Value, name: str, node: ast.AST) -> Value:
    """An attribute of a value."""
    if (names := taken(state, owner, name)) is not None:
        return names
    if name == "config" and (settings := of_wandb(state, owner)) is not None:
        return settings
    if isinstance(owner, Outside):
        state.uses(f"{owner.name}.{name}", node)
        return Outside(f"{owner.name}.{name}", state.span(node))
    if isinstance(owner, LibraryObject):
        return _of_made(state, owner, name, node)
    if isinstance(owner, Plain) and isinstance(owner.value, str) and name in PARTS:
        return Plain(str(getattr(PurePosixPath(owner.value), name)), state.span(node))
    if isinstance(owner, Plain) and isinstance(owner.value, str) and name == "parents":
        return _above(owner.value)
    if isinstance(owner, Table) and name in owner.entries:
        return owner.entries[name].value
    if isinstance(owner, Instance):
        value = _of_object(state, owner, name, node)
        if value is not None:
            return value
    if isinstance(owner, Class):
        member = owner.member(name)
        if member is None and name in owner.all_fields():
            member = owner.all_fields()[name].value
        if member is not None:
            return _of_class(member, owner)
        outside = owner.outside()
        if outside is not None:
            return Outside(f"{outside.name}.{name}", state.span(node))
    if isinstance(owner, Unknown) and owner.of is None:
        return Unknown(owner.why, state.span(node))
    return state.unknown(node)


def _of_object(state: State, owner: Instance, name: str, node: ast.AST) -> Value | None:
    """An attribute of an object of the script; None where nothing is known of it."""
    if name in owner.attributes and owner.attributes[name].value is not owner.rest:
        return owner.attributes[name].value
    if name in owner.attributes and owner.rest is not None:
        return Unknown(owner.rest.why, state.span(node))
    member = owner.cls.member(name) if owner.cls else None
    if isinstance(member, Function):
        return bound(state, member, owner, node)
    if member is not None:
        return member
    owner.closed = owner.closed and name != "__dict__"  # what changes it can add others
    if owner.closed and not owner.shared:
        note_missing(state, owner, name, node)
    return None if owner.rest is None else Unknown(owner.rest.why, state.span(node))


def _above(path: str) -> Many:
    """The folders above a path, those above the working folder as `..`."""
    inner = [str(folder) for folder in PurePosixPath(path).parents]
    outer = [] if path.startswith("/") else ["/".join([".."] * number) for number in range(1, 9)]
    return Many([Plain(folder) for folder in (*inner, *outer)], kind="tuple")


def _of_made(state: State, owner: LibraryObject, name: str, node: ast.AST) -> Value:
    if state.library and (given := state.library(owner, name, None)) is not None:
        return given
    if name in owner.attributes:
        return owner.attributes[name].value
    if owner.parsed or owner.short.endswith(("Config", "Arguments")):
        if name in owner.keywords:
            return owner.keywords[name].value
        if owner.rest is None:
            default = default_of(state, owner, name, node)
            if default is not None:
                return default
        return state.unknown(node, owner.rest.why if owner.rest else "")
    return Unknown(f"it is `{state.shown(node)}`", state.span(node), owner, name)


def of_wandb(state: State, owner: Value) -> Value | None:
    """The settings that the last `wandb.init(config=…)` is given, for `wandb.config`.

    Those of the sweep that starts the script count more.
    """
    of = owner.name if isinstance(owner, Outside) else getattr(owner, "of", "")
    if of not in ("wandb", "wandb.init"):
        return None
    begun = next((made for made in reversed(state.made) if made.of == "wandb.init"), None)
    config = begun.keywords.get("config") if begun else None
    table = as_table(config.value) if config else None
    if begun is None or SWEEP not in state.environment:
        return table
    line = read_line(state, state.argv or (), NOWHERE)
    stated = {key: NamedValue(typed(word.value), option=word.option)
              for key, word in line.keywords.items()}  # fmt: skip
    return Table({**(table.entries if table else {}), **stated}, table.rest if table else None)


def default_of(state: State, owner: LibraryObject, field: str, node: ast.AST) -> Value | None:
    """What a config object holds if nothing is given: the default of its class."""
    value = state.default(Question(owner.short, field))
    if owner.parsed and state.argv is None and isinstance(value, Plain) and value.value is None:
        return state.unknown(node, f"it comes from the command line (--{field})")
    return value


def part_of(state: State, owner: LibraryObject, key: int | str, node: ast.AST) -> Value:
    """One of several results of a call: always the same object."""
    of = f"{owner.of}[{key}]"
    for made in state.made:
        if made.base is owner and made.of == of:
            return made
    return state.new(of, node, [], {}, base=owner)


def set_attribute(state: State, owner: Value, name: str, value: Value, node: ast.AST) -> None:
    """Set an attribute of an object; under an unknown condition its value is open then."""
    attribute = NamedValue(value, None, state.span(node))
    if isinstance(owner, Outside):
        state.patched.add(f"{owner.name}.{name}")
    if isinstance(owner, Table):
        value = value if not state.guards else state.unknown(node)
        owner.entries[name] = NamedValue(value, None, state.span(node))
    if isinstance(owner, Instance | LibraryObject):
        before = owner.attributes.get(name)
        if isinstance(owner, LibraryObject) and before is None:
            before = owner.keywords.get(name)
        if state.guards and not (before and same(before.value, value)) and not _new(state, owner):
            why, span = f"it depends on `{state.guards[-1].text}`", state.span(node)
            both = joined([before.value, value], why, span) if before else None
            owner.attributes[name] = NamedValue(both or Unknown(why, span), None, attribute.whole)
        else:
            owner.attributes[name] = attribute
    made, part = (owner, "") if isinstance(owner, LibraryObject) else (None, "")
    if isinstance(owner, Unknown) and owner.of is not None:
        made, part = owner.of, f"{owner.part}."
    if made is not None:
        deed = Deed(f"{part}{name} =", [value], {}, state.span(node), tuple(state.guards))
        made.deeds.append(deed)


def _new(state: State, owner: Instance | LibraryObject) -> bool:
    """Whether an object was made under the same conditions that hold now."""
    return isinstance(owner, LibraryObject) and owner.guards == tuple(state.guards)


def bound(state: State, member: Function, owner: Instance, node: ast.AST) -> Value:
    """A method of an object; the value of a property."""
    names = [decorator.name for decorator in member.decorated if isinstance(decorator, Outside)]
    if any(name.endswith(("property", "cached_property")) for name in names):
        return functions.function(state, functions.owned(member, owner), Arguments([], {}), node)
    if any(name.endswith("staticmethod") for name in names):
        return member
    if owner.cls is not None and _of_class(member, owner.cls) is not member:
        return _of_class(member, owner.cls)
    return functions.owned(member, owner)


def _of_class(member: Value, cls: Class) -> Value:
    """A member of a class, which it gives to its class methods."""
    if not isinstance(member, Function):
        return member
    names = [decorator.name for decorator in member.decorated if isinstance(decorator, Outside)]
    given = any(name.endswith("classmethod") for name in names)
    return functions.owned(member, cls) if given else member


def unpacked(state: State, value: Value, number: int, node: ast.AST) -> Sequence[Value]:
    """The values of a tuple of names that something is assigned to."""
    if isinstance(value, Many) and len(value.items) == number and value.kind != "set":
        return value.items
    if isinstance(value, LibraryObject):
        return [part_of(state, value, index, node) for index in range(number)]
    why = value.why if isinstance(value, Unknown) else ""
    return [state.unknown(node, why) for _ in range(number)]
