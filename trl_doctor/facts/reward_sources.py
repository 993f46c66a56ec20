"""The reward functions that a run file names, found by the text of their modules."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from trl_doctor.core.finding import Place, Spot
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.signatures import Signature, signature

LARGEST = 1024 * 1024
"""Bytes of a module that is read."""


@dataclass(frozen=True)
class Named:
    """A function that the run names with a dot: its module's file, and how it can be called.

    `file` is None where there is no such module here; `known` says that one would be found.
    `called` is None where the text does not tell. `lacking` says that the module surely has no
    such name.
    """

    index: int
    name: str
    file: Path | None = None
    known: bool = True
    called: Signature | None = None
    lacking: bool = False


def named(facts: Facts) -> tuple[Named, ...]:
    """Every function with a dot. Raises `NotConcerned` where the run names none."""
    if facts.run.by_class:
        raise NotConcerned("the program passes its reward functions as objects")
    said = facts.run.arguments.get("reward_funcs")
    names = said if isinstance(said, list) else [said]
    found = [
        _found(facts, index, one)
        for index, one in enumerate(names)
        if isinstance(one, str) and "." in one
    ]
    if not found:
        raise NotConcerned("the run names no reward functions of its own (reward_funcs)")
    return tuple(found)


def called(facts: Facts) -> tuple[Signature, ...]:
    """How the functions can be called whose text is at hand: a script's, else those named."""
    known = facts.get(named) or ()
    return facts.run.rewards or tuple(one.called for one in known if one.called is not None)


def _found(facts: Facts, index: int, name: str) -> Named:
    module, _, function = name.rpartition(".")
    file = _file(facts, module)
    if file is None:
        package = module.split(".")[0]
        there = facts.environment.source(package) or facts.environment.installed(package)
        folder = any((root / package).is_dir() for root in facts.run.roots)
        sure = facts.environment.installed("trl") and not there and not folder
        return Named(index, name, known=not sure)
    try:
        text = file.read_text("utf-8") if file.stat().st_size < LARGEST else ""
        tree = ast.parse(text)
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return Named(index, name, file)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == function:
            plain = not node.decorator_list
            line = text.splitlines()[node.lineno - 1]
            place = Place(file, spot=Spot(node.lineno, node.col_offset + 1, line))
            called = signature(node, name, place) if plain else None
            return Named(index, name, file, called=called)
    return Named(index, name, file, lacking=bool(text) and not _may_have(tree, function))


def _file(facts: Facts, module: str) -> Path | None:
    """The file of a module below the folders where the run looks."""
    parts = module.split(".")
    for root in facts.run.roots:
        base = root.joinpath(*parts)
        for file in (base / "__init__.py", base.with_name(f"{base.name}.py")):
            if file.is_file():
                return file
        if any(base.with_name(base.name + end).is_file() for end in EXTENSION_SUFFIXES):
            return None
    return None


def _may_have(tree: ast.Module, name: str) -> bool:
    """Whether a module may get a name otherwise than by a plain `def`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(one.name == "*" for one in node.names):
            return True
        if isinstance(node, ast.Import | ast.ImportFrom) and any(
            (one.asname or one.name).split(".")[0] == name for one in node.names
        ):
            return True
        if isinstance(node, ast.Name) and node.id in (name, "globals", "exec", "setattr"):
            return True
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
            node.name in (name, "__getattr__")
        ):
            return True
    return False
