"""The trainers and configs that a TRL offers, and their modules, read from its sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from trl_doctor.facts.library.classes import Definition, Module, Sources

EXPERIMENTAL = "trl.experimental"


def homes(sources: Sources, name: str) -> tuple[str, ...]:
    """The modules that a class of TRL can be imported from, the module that defines it first.

    A module that only re-exports the name ("is now located in …") comes after the others.
    Raises `Damaged`.
    """
    places = list(_places(sources, name))
    places.sort(key=lambda place: not place[1])
    return tuple(module for module, _ in places)


@lru_cache(maxsize=1024)
def home(sources: Sources, name: str) -> str | None:
    """The module that defines a class of TRL, or None if there is none. Raises `Damaged`."""
    places = []
    for module, lives_here in _places(sources, name):
        if lives_here:
            return module
        places.append(module)
    return places[0] if places else None


def original(sources: Sources, definition: Definition) -> Definition:
    """The class behind one that only derives from a class of its own name. Raises `Damaged`."""
    namesakes = [
        ancestor
        for ancestor in sources.lineage(definition)
        if ancestor.node.name == definition.node.name
    ]
    return namesakes[-1]


def exported(sources: Sources, ending: str, *, experiments: bool = True) -> set[str]:
    """The names with this ending that `trl` or a package of `trl.experimental` offers."""
    packages = ("trl", *(_experiments(sources) if experiments else ()))
    modules = [sources.module(name) for name in packages]
    names = {name for module in modules if module for name in (*module.imports, *module.classes)}
    return {name for name in names if name.endswith(ending) and not name.startswith("_")}


def names(package: Module) -> frozenset[str]:
    """All names that a module may offer: imported, listed in its source, or its submodules."""
    known_names = {*package.imports, *package.classes}
    known_names |= {path.stem for path in package.path.parent.iterdir()}
    for node in ast.walk(package.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            known_names.add(node.value)
        elif isinstance(node, ast.Name):
            known_names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            known_names.add(node.name)
        elif isinstance(node, ast.Import):
            known_names |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return frozenset(known_names)


def absent(sources: Sources, module: str, name: str) -> str:
    """What is missing for `from module import name`: "module", "name", or nothing ("").

    Nothing too where the package is not installed, or where a module may offer names that its
    source does not show. Raises `Damaged`.
    """
    source = sources.module(module)
    if source is None:
        package, *parts = module.split(".")
        folder = sources.packages.get(package)
        return "" if folder is None or folder.joinpath(*parts).is_dir() else "module"
    offered = names(source)
    hidden = "*" in offered or "__getattr__" in offered
    return "" if hidden or name in offered else "name"


def arguments(sources: Sources, name: str) -> tuple[str, ...] | None:
    """The arguments of a class's constructor; a last `**kwargs` if it accepts others.

    None if there is no such class, or if its constructor is not TRL's. Raises `Damaged`.
    """
    module = home(sources, name)
    definition = sources.definition(module, name) if module else None
    for ancestor in sources.lineage(definition) if definition else ():
        for statement in ancestor.node.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
                return _parameter_names(statement.args)
    return None


def _parameter_names(signature: ast.arguments) -> tuple[str, ...]:
    names = [
        argument.arg
        for argument in (*signature.posonlyargs, *signature.args, *signature.kwonlyargs)
    ][1:]
    return (*names, f"**{signature.kwarg.arg}") if signature.kwarg else tuple(names)


def _places(sources: Sources, name: str) -> Iterator[tuple[str, bool]]:
    """The modules that offer a class, and whether each defines it."""
    for module in ("trl", *_experiments(sources)):
        package = sources.module(module)
        if package and (name in package.classes or name in package.imports):
            definition = sources.definition(module, name)
            if definition:
                yield module, original(sources, definition) == definition


@lru_cache(maxsize=32)
def _experiments(sources: Sources) -> list[str]:
    folder = sources.packages["trl"] / "experimental"
    try:
        names = sorted(path.name for path in folder.iterdir() if (path / "__init__.py").is_file())
    except OSError:
        return []
    return [f"{EXPERIMENTAL}.{name}" for name in names]
