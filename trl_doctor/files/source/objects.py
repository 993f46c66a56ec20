"""Scopes, functions and classes of a script, and when two values are the same."""

from __future__ import annotations

import ast

from msgspec import Struct, field

from trl_doctor.files.source.values import (
    Keywords,
    Many,
    NamedValue,
    Outside,
    Plain,
    Span,
    Table,
    Unknown,
    Value,
)


class Scope(Struct, eq=False):
    """Names and their values; `above` is the scope around it."""

    names: dict[str, Value] = field(default_factory=dict)
    above: Scope | None = None
    open: Unknown | None = None

    def find(self, name: str) -> Value | None:
        """The value of a name; None if no scope has it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            if scope.open is not None:
                return scope.open
            scope = scope.above
        return None

    @property
    def top(self) -> Scope:
        """The scope of the module."""
        scope = self
        while scope.above is not None:
            scope = scope.above
        return scope


class Function(Struct, Value, eq=False):
    """A function of the script; `owner` is the object that it is a method of."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    source: int
    owner: Value | None = None
    decorated: tuple[Value, ...] = ()
    cls: Class | None = None

    @property
    def name(self) -> str:
        """Its name, `lambda` for one without."""
        return getattr(self.node, "name", "lambda")


class Class(Struct, Value, eq=False):
    """A class of the script."""

    node: ast.ClassDef
    scope: Scope
    source: int
    bases: list[Value]
    members: dict[str, Value] = field(default_factory=dict)
    fields: dict[str, NamedValue] = field(default_factory=dict)

    def member(self, name: str) -> Value | None:
        """A member of it or of the classes of the script that it derives from."""
        if name in self.members:
            return self.members[name]
        bases = (base for base in self.bases if isinstance(base, Class))
        return next((member for base in bases if (member := base.member(name))), None)

    def all_members(self) -> dict[str, Value]:
        """The members of it and of the classes of the script that it derives from."""
        members: dict[str, Value] = {}
        for base in reversed(self.bases):
            if isinstance(base, Class):
                members.update(base.all_members())
        return {**members, **self.members}

    def all_fields(self) -> dict[str, NamedValue]:
        """The annotated fields, those of its bases in the script first."""
        values: dict[str, NamedValue] = {}
        for base in self.bases:
            if isinstance(base, Class):
                values.update(base.all_fields())
        return {**values, **{name: _fresh(entry) for name, entry in self.fields.items()}}

    def classes(self) -> dict[str, Class]:
        """The fields that hold objects of other classes of the script, and these classes."""
        named: dict[str, Class] = {}
        for base in self.bases:
            if isinstance(base, Class):
                named.update(base.classes())
        for statement in self.node.body:
            annotation = getattr(statement, "annotation", None)
            name = getattr(getattr(statement, "target", None), "id", "")
            if name and (cls := class_of(annotation, self.scope)):
                named[name] = cls
        return named

    def outside(self) -> Outside | None:
        """The class of a library that it derives from; None if there is none."""
        for base in self.bases:
            member = base.outside() if isinstance(base, Class) else base
            if isinstance(member, Outside):
                return member
        return None


def _fresh(entry: NamedValue) -> NamedValue:
    """A default: a copy of an object that a `default_factory` makes for each."""
    made = entry.value
    if not isinstance(made, Instance) or made.span is None or made.span != entry.whole:
        return entry
    held = {name: _fresh(inner) for name, inner in made.attributes.items()}
    return NamedValue(Instance(made.cls, held, made.rest, made.span), entry.name, entry.whole)


MODELS = ("pydantic.", "pydantic_settings.", "msgspec.")
"""Libraries whose classes are made of their fields, as a dataclass is."""


def of_library(cls: Class) -> Outside | None:
    """The class of a library that makes its objects; None if the script's own makes them."""
    outside = cls.outside()
    plain = ("builtins.", "abc.", "typing.", "torch.nn", *MODELS)
    return None if outside is None or outside.name.startswith(plain) else outside


def class_of(annotation: ast.expr | None, scope: Scope) -> Class | None:
    """The class of the script that an annotation names: `A`, `A | None`, `Optional[A]`, `"A"`."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        found = scope.find(annotation.value)
    elif isinstance(annotation, ast.BinOp):
        return class_of(annotation.left, scope)
    elif isinstance(annotation, ast.Subscript) and "Optional" in ast.unparse(annotation.value):
        return class_of(annotation.slice, scope)
    else:
        found = scope.find(annotation.id) if isinstance(annotation, ast.Name) else None
    return found if isinstance(found, Class) else None


class Instance(Struct, Value, eq=False):
    """An object of a class of the script, or the result of a parser (`cls` is then None).

    `stated` are the attributes that a command line or the call gives a value. `shared` says that
    something outside the script gets the object, which may read any of them. `derived`: its class
    derives from one of a library, which reads its own names. `closed`: it has no others.
    """

    cls: Class | None
    attributes: dict[str, NamedValue]
    rest: Unknown | None = None
    span: Span | None = None
    stated: frozenset[str] = frozenset()
    shared: bool = False
    derived: bool = False
    closed: bool = False


class Option(Struct, eq=False):
    """An option of an argparse parser."""

    names: tuple[str, ...]
    target: str
    default: Value
    kind: str
    required: bool
    keywords: Keywords
    span: Span


class Refusal(Struct, frozen=True):
    """What a parser does with an option of a command line, as a clause about the parser.

    `near` is the option of the parser that is most like one that it does not know.
    """

    flag: str
    clause: str
    near: str = ""


class Parser(Struct, Value, eq=False):
    """A parser: of options that are added one by one, or of the fields of classes.

    `nested` are classes whose fields are options too, by the name of their object in the result.
    `open` says that it can have options that are not known, `by_words` that it reads no file. `own`
    is the class of the script that it is of.
    """

    options: list[Option] = field(default_factory=list)
    classes: list[Value] = field(default_factory=list)
    fresh: dict[str, Value] = field(default_factory=dict)
    nested: dict[str, Value] = field(default_factory=dict)
    open: bool = False
    by_words: bool = False
    own: Class | None = None


def same(left: Value | None, other: Value | None) -> bool:
    """Whether two values are known to be the same.

    A class that a library has in two places (`trl.PPOTrainer`, `trl.experimental.ppo.PPOTrainer`)
    is one: scripts import it from where this release has it.
    """
    if left is other:
        return True
    if isinstance(left, Plain) and isinstance(other, Plain):
        return type(left.value) is type(other.value) and left.value == other.value
    if isinstance(left, Outside) and isinstance(other, Outside):
        return left.name == other.name or _moved(left.name, other.name)
    if isinstance(left, Many) and isinstance(other, Many):
        return len(left.items) == len(other.items) and all(map(same, left.items, other.items))
    if isinstance(left, Table) and isinstance(other, Table):
        return (
            left.rest is other.rest
            and left.entries.keys() == other.entries.keys()
            and all(same(left.entries[k].value, other.entries[k].value) for k in left.entries)
        )
    return False


def _moved(left: str, other: str) -> bool:
    """Whether two names are of one class of a library, which releases have in different places."""
    name = left.rpartition(".")[2]
    one_library = left.partition(".")[0] == other.partition(".")[0]
    return one_library and name == other.rpartition(".")[2] and name[:1].isupper()


class Arguments(Struct):
    """The arguments of a call: `rest` where there are some that cannot be known."""

    values: list[Value]
    keywords: dict[str, NamedValue]
    rest: Unknown | None = None


RETURNED = "return"
"""The name under which a scope keeps what its function returns; no name of Python's."""
