"""Classes of Python packages, read from their sources without importing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from trl_doctor.facts.library.module import (
    Damaged,
    Field,
    Module,
    head,
    is_there,
    makes_a_dataclass,
    read,
)

__all__ = ["Damaged", "Definition", "Field", "Module", "Sources"]

SHORTCUTS = {("transformers", "TrainingArguments"): "transformers.training_args"}
"""Where a name is defined, where following the imports would mean reading a large file."""


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
            if is_there(path):
                return self._parse(name, path)
        return None

    def _parse(self, name: str, path: Path) -> Module:
        text, is_package = read(path), path.name == "__init__.py"
        only = next((key[1] for key, home in SHORTCUTS.items() if home == name), "")
        part = head(text, only) if only else None
        with suppress(Damaged):  # of the part: the whole then says where
            if part:
                return Module(name, path, part, is_package)
        return Module(name, path, text, is_package)

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
            self._fields[found] = {}  # a circle of bases ends here
            fields: dict[str, Field] = {}
            for base in reversed(self.bases(found)):
                fields.update(self.fields(base))
            if any(map(makes_a_dataclass, found.node.decorator_list)):
                own = self._source(found).own_fields(found.node)
                fields.update((field.name, field) for field in own)
            self._fields[found] = fields
        return self._fields[found]

    def bases(self, found: Definition) -> list[Definition]:
        """The base classes that can be followed.

        Raises `Damaged`, also where one should be in these packages and is not.
        """
        source, bases = self._source(found), []
        for base in found.node.bases:
            if not isinstance(base, ast.Name):
                continue
            here = source.classes.get(base.id)
            if here and here is not found.node:
                bases.append(Definition(found.module, here))
            elif place := source.imports.get(base.id):
                other = self.definition(*place)
                if other:
                    bases.append(other)
                elif self._should_have(found, place):
                    raise Damaged(
                        f"{source.path} needs {place[1]} of {place[0]}, which is not there"
                    )
        return bases

    def _should_have(self, found: Definition, place: tuple[str, str]) -> bool:
        package = place[0].partition(".")[0]
        own = package == found.module.partition(".")[0]
        return package in self.packages and (own or place in SHORTCUTS)

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
        seen, waiting = set(), [found]
        while waiting:
            one = waiting.pop(0)
            if one not in seen:
                seen.add(one)
                yield one
                waiting.extend(self.bases(one))
