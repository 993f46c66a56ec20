"""Classes of Python packages, read from their sources without importing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trl_doctor.facts import Unavailable

SHORTCUTS = {("transformers", "TrainingArguments"): "transformers.training_args"}
"""Where a name is defined, where following the imports would mean reading a large file."""

LARGEST = 4_000_000
"""A source file of more bytes is not read."""


class Damaged(Unavailable):
    """A source file cannot be read, or is not Python; the message names it."""


@dataclass(frozen=True)
class Field:
    """A field of a dataclass.

    `default` is its source text, as short as the same value can be said ("8", "'auto'",
    "['sigmoid']" for a factory that makes it), and None for a field that must be given.
    `annotation` is source text too, "" where it is not known. `owner` is the class that
    defines it. A field with `init` false is no argument.
    """

    name: str
    default: str | None
    annotation: str = ""
    owner: str = ""
    init: bool = True


@dataclass(frozen=True)
class Definition:
    """A class statement and the module that it stands in."""

    module: str
    node: ast.ClassDef


class Sources:
    """The modules of some packages, each parsed at most once.

    `packages` are folders by import name. Names are followed through `from … import …`, also
    where that stands under `if TYPE_CHECKING`, as far as these packages go.
    """

    def __init__(self, packages: Mapping[str, Path]) -> None:
        self.packages = dict(packages)
        self._modules: dict[str, Module | None] = {}
        self._definitions: dict[tuple[str, str], Definition | None] = {}
        self._fields: dict[Definition, dict[str, Field]] = {}

    def module(self, name: str) -> Module | None:
        """A module by its dotted name; None where there is no such file. Raises `Damaged`."""
        if name not in self._modules:
            self._modules[name] = self._read(name)
        return self._modules[name]

    def _read(self, name: str) -> Module | None:
        package, *rest = name.split(".")
        if package not in self.packages:
            return None
        stem = self.packages[package].joinpath(*rest)
        for path in (stem / "__init__.py", stem.with_name(f"{stem.name}.py")):
            if path.is_file():
                return Module(name, path, path.name == "__init__.py")
        return None

    def definition(self, module: str, name: str) -> Definition | None:
        """The class that `from module import name` gives, or None where it cannot be followed.

        Raises `Damaged`.
        """
        key = (module, name)
        if key not in self._definitions:
            self._definitions[key] = None  # a circle of imports ends here
            self._definitions[key] = self._follow(SHORTCUTS.get(key, module), name)
        return self._definitions[key]

    def _follow(self, module: str, name: str) -> Definition | None:
        source = self.module(module)
        if source is None:
            return None
        if name in source.classes:
            return Definition(module, source.classes[name])
        if name in source.imports:
            return self.definition(*source.imports[name])
        return None

    def fields(self, found: Definition) -> dict[str, Field]:
        """The fields of a dataclass by name, those of its bases included. Raises `Damaged`."""
        if found not in self._fields:
            fields: dict[str, Field] = {}
            for base in reversed(self.bases(found)):
                fields.update(self.fields(base))
            if any(map(_makes_a_dataclass, found.node.decorator_list)):
                own = self._source(found).own_fields(found.node)
                fields.update((field.name, field) for field in own)
            self._fields[found] = fields
        return self._fields[found]

    def bases(self, found: Definition) -> list[Definition]:
        """The base classes that can be followed. Raises `Damaged`."""
        source = self._source(found)
        bases = []
        for base in found.node.bases:
            if not isinstance(base, ast.Name):
                continue
            if base.id in source.classes and source.classes[base.id] is not found.node:
                bases.append(Definition(found.module, source.classes[base.id]))
            elif base.id in source.imports and (other := self.definition(*source.imports[base.id])):
                bases.append(other)
        return bases

    def outside(self, found: Definition) -> set[tuple[str, str]]:
        """The bases, near and far, that are imported from other packages. Raises `Damaged`."""
        outside = set()
        for one in self.lineage(found):
            source = self._source(one)
            for base in one.node.bases:
                place = source.imports.get(base.id) if isinstance(base, ast.Name) else None
                if place and place[0].partition(".")[0] not in self.packages:
                    outside.add(place)
        return outside

    def _source(self, found: Definition) -> Module:
        source = self.module(found.module)
        assert source is not None
        return source

    def lineage(self, found: Definition) -> Iterator[Definition]:
        """The class and all its bases, nearest first. Raises `Damaged`."""
        yield found
        for base in self.bases(found):
            yield from self.lineage(base)


class Module:
    """A parsed module: its classes, and what it imports under which name. Raises `Damaged`."""

    def __init__(self, name: str, path: Path, package: bool) -> None:
        self.name, self.path = name, path
        self.text = _text(path)
        try:
            self.tree = ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None)
            place = f"{path}, line {line}" if line else str(path)
            raise Damaged(f"{place} is not Python: {getattr(error, 'msg', error)}") from error
        self.classes: dict[str, ast.ClassDef] = {}
        self.imports: dict[str, tuple[str, str]] = {}
        self._parts = name.split(".") if package else name.split(".")[:-1]
        self._lines: list[bytes] = []
        self._collect(self.tree.body)

    def _collect(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if isinstance(statement, ast.ClassDef):
                self.classes[statement.name] = statement
            elif isinstance(statement, ast.ImportFrom):
                module = self._absolute(statement)
                for alias in statement.names:
                    self.imports[alias.asname or alias.name] = (module, alias.name)
            elif isinstance(statement, ast.If | ast.Try | ast.With):
                self._collect(statement.body)
                self._collect(getattr(statement, "orelse", []))
                for handler in getattr(statement, "handlers", []):
                    self._collect(handler.body)

    def _absolute(self, statement: ast.ImportFrom) -> str:
        if not statement.level:
            return statement.module or ""
        kept = self._parts[: len(self._parts) - statement.level + 1]
        return ".".join([*kept, *([statement.module] if statement.module else [])])

    def own_fields(self, node: ast.ClassDef) -> Iterator[Field]:
        """The fields that a dataclass statement in this module defines."""
        for statement in node.body:
            if not isinstance(statement, ast.AnnAssign):
                continue
            if not isinstance(statement.target, ast.Name):
                continue
            annotation = self._source(statement.annotation)
            if "ClassVar" in annotation or "InitVar" in annotation:
                continue
            default, init = self._default(statement.value)
            yield Field(statement.target.id, default, annotation, node.name, init)

    def _default(self, value: ast.expr | None) -> tuple[str | None, bool]:
        if value is None:
            return None, True
        if not (isinstance(value, ast.Call) and _called(value.func) in ("field", "HfArg")):
            return self._source(value), True
        said = {keyword.arg: keyword.value for keyword in value.keywords}
        init = said.get("init")
        takes_part = not (isinstance(init, ast.Constant) and init.value is False)
        if "default" in said:
            return self._source(said["default"]), takes_part
        factory = said.get("default_factory")
        return (self._made(factory) if factory else None), takes_part

    def _made(self, factory: ast.expr) -> str:
        if isinstance(factory, ast.Lambda):
            return self._source(factory.body)
        text = self._source(factory)
        return {"list": "[]", "dict": "{}"}.get(text, f"{text}()")

    def _source(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return repr(node.value)
        if node.lineno != node.end_lineno:
            return ast.unparse(node)
        self._lines = self._lines or self.text.encode().split(b"\n")
        return self._lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode()


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise Damaged(f"{path} is larger than {LARGEST:,} bytes")
        return path.read_text("utf-8")
    except OSError as error:
        raise Damaged(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise Damaged(f"{path} is not UTF-8 at byte {error.start}") from error


def _called(node: ast.expr) -> str:
    while isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _makes_a_dataclass(decorator: ast.expr) -> bool:
    return _called(decorator) == "dataclass"
