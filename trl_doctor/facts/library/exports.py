"""Which trainers and configs a TRL offers, from where, read from its sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trl_doctor.facts.library.classes import Definition, Module, Sources

EXPERIMENTAL = "trl.experimental"


def homes(sources: Sources, name: str) -> tuple[str, ...]:
    """The modules that a class of TRL can be imported from, the one where it lives first.

    A module that only keeps the name alive ("is now located in …") comes after the others.
    Raises `Damaged`.
    """
    places = list(_places(sources, name))
    places.sort(key=lambda place: not place[1])
    return tuple(module for module, _ in places)


def home(sources: Sources, name: str) -> str | None:
    """The module that a class of TRL lives in, or None where there is none. Raises `Damaged`."""
    places = []
    for module, lives_here in _places(sources, name):
        if lives_here:
            return module
        places.append(module)
    return places[0] if places else None


def original(sources: Sources, found: Definition) -> Definition:
    """The class behind one that only derives from its namesake. Raises `Damaged`."""
    namesakes = [one for one in sources.lineage(found) if one.node.name == found.node.name]
    return namesakes[-1]


def exported(sources: Sources, ending: str) -> set[str]:
    """The names with this ending that `trl` or a package of `trl.experimental` offers."""
    modules = [sources.module(name) for name in ("trl", *_experiments(sources))]
    names = {name for module in modules if module for name in (*module.imports, *module.classes)}
    return {name for name in names if name.endswith(ending) and not name.startswith("_")}


def names(package: Module) -> frozenset[str]:
    """All names that a package may offer: imported, listed in its source, or its modules'."""
    texts = (one.value for one in ast.walk(package.tree) if isinstance(one, ast.Constant))
    written = {text for text in texts if isinstance(text, str)}
    written |= {one.id for one in ast.walk(package.tree) if isinstance(one, ast.Name)}
    inside = {one.stem for one in package.path.parent.iterdir()}
    return frozenset({*package.imports, *package.classes, *written, *inside})


def arguments(sources: Sources, name: str) -> tuple[str, ...] | None:
    """The arguments of a class's constructor, `**kwargs` as the last where it takes others.

    None where there is no such class, or where its constructor is not TRL's. Raises `Damaged`.
    """
    module = home(sources, name)
    found = sources.definition(module, name) if module else None
    for one in sources.lineage(found) if found else ():
        for statement in one.node.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
                return _named(statement.args)
    return None


def _named(said: ast.arguments) -> tuple[str, ...]:
    names = [one.arg for one in (*said.posonlyargs, *said.args, *said.kwonlyargs)][1:]
    return (*names, f"**{said.kwarg.arg}") if said.kwarg else tuple(names)


def _places(sources: Sources, name: str) -> Iterator[tuple[str, bool]]:
    """The modules that offer a class, and whether it lives there."""
    for module in ("trl", *_experiments(sources)):
        package = sources.module(module)
        if package and (name in package.classes or name in package.imports):
            found = sources.definition(module, name)
            if found:
                yield module, original(sources, found) == found


def _experiments(sources: Sources) -> list[str]:
    folder = sources.packages["trl"] / "experimental"
    try:
        names = sorted(one.name for one in folder.iterdir() if (one / "__init__.py").is_file())
    except OSError:
        return []
    return [f"{EXPERIMENTAL}.{name}" for name in names]
