"""What an expression of a script is known to be, and where that is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct, field


class Span(Struct, frozen=True):
    """A piece of a source as `ast` counts: lines from 1, columns in UTF-8 bytes from 0.

    `source` is the index of the file or the cell of a notebook.
    """

    source: int
    line: int
    column: int
    end_line: int
    end_column: int


class Value:
    """What an expression is known to be; `span` is where that is written."""

    __slots__ = ()
    span: Span | None


class Plain(Struct, Value, eq=False):
    """A constant. `literal` says that `span` holds this constant and nothing else; `option` is the
    name under which the command line gives it, "" if that does not.
    """

    value: bool | int | float | str | bytes | None
    span: Span | None = None
    literal: bool = False
    option: str = ""


def text_in(value: Value | None) -> str:
    """The text that a value is; "" for any other value."""
    return value.value if isinstance(value, Plain) and isinstance(value.value, str) else ""


class Many(Struct, Value, eq=False):
    """A list, tuple or set of values. `grows` says that it may have more items, or fewer."""

    items: list[Value]
    span: Span | None = None
    kind: str = "list"
    literal: bool = False
    grows: bool = False


class NamedValue(Struct, eq=False):
    """A value under a name: `name` is where the name is written, `whole` name and value.

    `perhaps` says that it is only given under a condition that is not known. `file` is the one that
    `--config` names, where the value is written there and not in the script; `option` is the name
    under which the command line gives it, "" if that does not.
    """

    value: Value
    name: Span | None = None
    whole: Span | None = None
    perhaps: bool = False
    file: Path | None = None
    option: str = ""


Keywords: TypeAlias = "Mapping[str, NamedValue]"
"""The arguments of a call that have names."""


class Table(Struct, Value, eq=False):
    """A dictionary. `rest` says that it may hold keys that cannot be known."""

    entries: dict[Any, NamedValue]
    rest: Unknown | None = None
    span: Span | None = None
    literal: bool = False


class Unknown(Struct, Value, eq=False):
    """What cannot be known without running the script; `why` is a clause.

    `of` and `part` name the part of a library's object that it is: its attribute `eos_token`, or
    its length (`len()`).
    """

    why: str
    span: Span | None = None
    of: LibraryObject | None = None
    part: str = ""


class Outside(Struct, Value, eq=False):
    """Something of a library by its full name: `trl.GRPOConfig`."""

    name: str
    span: Span | None = None


class Guard(Struct, frozen=True):
    """A condition that is not known. `missing` names the attribute of `of` that it finds unset.

    `lacks` is the token that it does not find in the vocabulary of `of`.
    """

    text: str
    span: Span
    of: LibraryObject | None = None
    missing: str = ""
    lacks: str = ""


class Deed(Struct, eq=False):
    """What the script does to an object: `name` is the method, or "name =" for an attribute."""

    name: str
    arguments: list[Value]
    keywords: dict[str, NamedValue]
    span: Span
    guards: tuple[Guard, ...] = ()
    rest: Unknown | None = None
    result: LibraryObject | None = None


class LibraryObject(Struct, Value, eq=False):
    """An object that a call of something outside returns: `of` is the full name of what is called.

    For a method of another such object `base` is that object and `of` ends in the method's name;
    for one of several results `base` is the call and `of` ends in `[0]`. `keywords` are the keyword
    arguments, `rest` says that there may be others. `fields` are those that a class of the script
    adds to the library's, `own` the members of that class. `parsed` is the class of
    the parser that fills it from a command line, "" for none; `shared` says that this parser also
    fills classes whose fields are not known. `tried` says that an error of the call is caught.
    """

    of: str
    arguments: list[Value]
    keywords: dict[str, NamedValue]
    span: Span
    rest: Unknown | None = None
    base: LibraryObject | None = None
    guards: tuple[Guard, ...] = ()
    attributes: dict[str, NamedValue] = field(default_factory=dict)
    deeds: list[Deed] = field(default_factory=list)
    fields: frozenset[str] = frozenset()
    own: Mapping[str, Value] = {}
    parsed: str = ""
    shared: bool = False
    tried: bool = False

    @property
    def short(self) -> str:
        """The last part of its name: `GRPOConfig`."""
        return self.of.rpartition(".")[2]

    @property
    def trains(self) -> bool:
        """Whether it is a trainer by its name; `PatchDPOTrainer` of Unsloth is a function."""
        return self.short.endswith("Trainer") and not self.short.startswith("Patch")

    def argument(self, name: str, index: int | None = None) -> Value | None:
        """A keyword argument, or the positional one at `index`; None if it is not given."""
        if name in self.keywords:
            return self.keywords[name].value
        if index is not None and index < len(self.arguments):
            return self.arguments[index]
        return self.rest
