"""Classes of Python packages, read from their sources without importing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from trl_doctor.facts.library.module import (
    Damaged,
    Field,
    Module,
    dataclass_head,
    is_file,
    makes_a_dataclass,
    read_source,
)

__all__ = ["Damaged", "Definition", "Field", "Module", "Sources"]

SHORTCUTS = {("transformers", "TrainingArguments"): "transformers.training_args"}
"""Where a name is defined, if following its imports would mean parsing a large file."""


class Definition(Struct, frozen=True):
    """A class statement, and the name of the module that contains it."""

    module: str
    node: ast.ClassDef


class Sources:
    """The modules of some packages, each parsed at most once.

    `packages` are folders by import name. Names are followed through `from … import …`, also
    under `if TYPE_CHECKING`, within these packages.
    """

    def __init__(self, packages: Mapping[str, Path]) -> None:
        self.packages = dict(packages)
        self._modules: dict[str, Module | None] = {}
        self._texts: dict[str, str | None] = {}
        self._definitions: dict[tuple[str, str], Definition | None] = {}
        self._fields: dict[Definition, dict[str, Field]] = {}

    def module(self, name: str) -> Module | None:
        """A module by its dotted name; None if there is no such file. Raises `Damaged`."""
        if name not in self._modules:
            self._modules[name] = self._read(name)
        return self._modules[name]

    def text(self, name: str) -> str | None:
        """The text of a module, which is not parsed; None if there is none. Raises `Damaged`."""
        if name not in self._texts:
            module, path = self._modules.get(name), self._path(name)
            self._texts[name] = module.text if module else read_source(path) if path else None
        return self._texts[name]

    def _read(self, name: str) -> Module | None:
        path = self._path(name)
        return self._parse(name, path) if path else None

    def _path(self, name: str) -> Path | None:
        package, *path_parts = name.split(".")
        if package not in self.packages:
            return None
        stem = self.packages[package].joinpath(*path_parts)
        paths = (stem / "__init__.py", stem.with_name(f"{stem.name}.py"))
        return next((path for path in paths if is_file(path)), None)

    def _parse(self, name: str, path: Path) -> Module:
        text, is_package = read_source(path), path.name == "__init__.py"
        only = next((key[1] for key, home in SHORTCUTS.items() if home == name), "")
        statement = dataclass_head(text, only) if only else None
        with suppress(Damaged):  # of this statement: parsing the whole file then names the line
            if statement:
                return Module(name, path, statement, is_package)
        return Module(name, path, text, is_package)

    def definition(self, module: str, name: str) -> Definition | None:
        """The class that `from module import name` imports, None if it cannot be followed.

        Raises `Damaged`.
        """
        key = (module, name)
        if key not in self._definitions:
            self._definitions[key] = None  # ends a circle of imports
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

    def fields(self, definition: Definition) -> dict[str, Field]:
        """The fields of a dataclass by name, with inherited fields. Raises `Damaged`."""
        if definition not in self._fields:
            self._fields[definition] = {}  # ends a circle of bases
            fields: dict[str, Field] = {}
            for base in reversed(self.bases(definition)):
                fields.update(self.fields(base))
            if any(map(makes_a_dataclass, definition.node.decorator_list)):
                own_fields = self._source(definition).own_fields(definition.node)
                fields.update((field.name, field) for field in own_fields)
            self._fields[definition] = fields
        return self._fields[definition]

    def bases(self, definition: Definition) -> list[Definition]:
        """The base classes that can be followed.

        Raises `Damaged`, also where a base should be in these packages and is missing.
        """
        source, bases = self._source(definition), []
        for base in definition.node.bases:
            if not isinstance(base, ast.Name):
                continue
            local = source.classes.get(base.id)
            if local and local is not definition.node:
                bases.append(Definition(definition.module, local))
            elif place := source.imports.get(base.id):
                imported = self.definition(*place)
                if imported:
                    bases.append(imported)
                elif self._should_have(definition, place):
                    raise Damaged(
                        f"{source.path} needs {place[1]} of {place[0]}, which is not there"
                    )
        return bases

    def _should_have(self, definition: Definition, place: tuple[str, str]) -> bool:
        package = place[0].partition(".")[0]
        same_package = package == definition.module.partition(".")[0]
        return package in self.packages and (same_package or place in SHORTCUTS)

    def outside(self, definition: Definition) -> set[tuple[str, str]]:
        """The direct and indirect bases that come from other packages. Raises `Damaged`."""
        outside = set()
        for ancestor in self.lineage(definition):
            source = self._source(ancestor)
            for base in ancestor.node.bases:
                place = source.imports.get(base.id) if isinstance(base, ast.Name) else None
                if place and place[0].partition(".")[0] not in self.packages:
                    outside.add(place)
        return outside

    def _source(self, definition: Definition) -> Module:
        source = self.module(definition.module)
        assert source is not None
        return source

    def lineage(self, definition: Definition) -> Iterator[Definition]:
        """The class and all its bases, nearest first. Raises `Damaged`."""
        visited, waiting = set(), [definition]
        while waiting:
            current = waiting.pop(0)
            if current not in visited:
                visited.add(current)
                yield current
                waiting.extend(self.bases(current))
