"""The settings of a script that nothing in it reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from trl_doctor.files.source.names import last_name
from trl_doctor.files.source.objects import Class, Instance
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.values import NamedValue, Plain, Span, Value

WHOLE = frozenset({"vars", "dir", "asdict", "astuple", "fields", "locals", "globals", "exec",
                   "attrgetter"})  # fmt: skip
"""Functions that reach names which the script does not write."""

BY_NAME = frozenset({"getattr", "setattr"})


class Setting(Struct, frozen=True, eq=False):
    """A setting: `stated` says that a command line, its file or a call gives it its value.

    `derived` says that it is of a class that derives from one of a library.
    """

    name: str
    value: Value
    span: Span
    stated: bool
    file: Path | None = None
    derived: bool = False


def unread(reading: Reading) -> Iterator[Setting]:
    """Fields of the script's own classes, options of its parsers, and constants of its top level.

    Nothing if names may be read that the script does not write.
    """
    names = names_read(reading)
    if names is None:
        return
    reported = set[tuple[str, Span]]()
    for setting in (*_of_objects(reading.state.settings), *_of_top_level(reading)):
        if setting.name not in names and (setting.name, setting.span) not in reported:
            reported.add((setting.name, setting.span))
            yield setting


def names_read(reading: Reading) -> frozenset[str] | None:
    """The names that the script and its own modules read; None if others may be read, too."""
    return None if reading.incomplete else _names(all_trees(reading))


def all_trees(reading: Reading) -> list[ast.Module]:
    """The trees of the script and of its own modules, each at the number of its source."""
    later = reading.state.pieces[len(reading.trees) :]
    return [*reading.trees, *(piece.parsed() for piece in later)]


def _names(trees: list[ast.Module]) -> frozenset[str] | None:
    """All names that are read, as variables, attributes or texts; None if others may be."""
    names = set[str]()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            if name == "__dict__":
                return None
            if isinstance(node.ctx, ast.Load):
                names.add(name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
        elif isinstance(node, ast.Call) and _reads_unwritten_names(node):
            return None
    return frozenset(names)


def _reads_unwritten_names(call: ast.Call) -> bool:
    """Whether a call may read an attribute or a variable whose name the script does not write."""
    name = last_name(call.func)
    computed = not all(isinstance(word, ast.Constant) for word in call.args[1:2])
    every = name == "Fire" and not call.args  # each function is a command
    return name in WHOLE or every or (name in BY_NAME and computed)


def _of_objects(settings: list[Instance]) -> Iterator[Setting]:
    for made in settings:
        if made.shared:
            continue
        for name, attribute in made.attributes.items():
            yield from _setting(name, attribute, name in made.stated, made.derived)


def _of_top_level(reading: Reading) -> Iterator[Setting]:
    """Constants, and those of classes that have nothing else."""
    for name, value in reading.scope.names.items():
        if isinstance(value, Class) and not value.fields and not value.bases:
            members = value.members.items()
            if all(isinstance(member, Plain) for _, member in members):
                for inner, member in members:
                    yield from _setting(inner, NamedValue(member), False)
        elif isinstance(value, Plain):
            yield from _setting(name, NamedValue(value), False)


def _setting(
    name: str, argument: NamedValue, stated: bool, derived: bool = False
) -> Iterator[Setting]:
    span = argument.whole or argument.name or getattr(argument.value, "span", None)
    if span is not None and not argument.perhaps:
        yield Setting(name, argument.value, span, stated, argument.file, derived)
