"""The reward functions that a run file names, found in the source of their modules."""

from __future__ import annotations

import ast
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Place, Spot
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.functions.signatures import Signature, signature
from trl_doctor.files.regular import text_of

LARGEST = 1024 * 1024
"""The most bytes of a module that are read."""


class NamedReward(Struct, frozen=True):
    """A function that the run names with a dot: its module's file, and how it can be called.

    `file` is None if no local file has the module; `known` is False if the module certainly does
    not exist. `called` is None if the source does not show it. `lacking` says that the module
    certainly has no such name.
    """

    index: int
    name: str
    file: Path | None = None
    known: bool = True
    called: Signature | None = None
    lacking: bool = False


def named_rewards(facts: Facts) -> tuple[NamedReward, ...]:
    """Every function named with a dot. Raises `NotConcerned` if the run names none."""
    if facts.run.by_class:
        raise NotConcerned("the program passes its reward functions as objects")
    value = facts.run.arguments.get("reward_funcs")
    names = value if isinstance(value, list) else [value]
    rewards = [
        _named_reward(facts, index, name)
        for index, name in enumerate(names)
        if isinstance(name, str) and "." in name
    ]
    if not rewards:
        raise NotConcerned("the run names no reward functions of its own (reward_funcs)")
    return tuple(rewards)


def reward_signatures(facts: Facts) -> tuple[Signature, ...]:
    """The signatures of functions with available source: a script's, else the named ones."""
    rewards = facts.get(named_rewards) or ()
    return facts.run.script.reward_functions or tuple(
        reward.called for reward in rewards if reward.called is not None
    )


def _named_reward(facts: Facts, index: int, name: str) -> NamedReward:
    module, _, function = name.rpartition(".")
    file = _file(facts, module)
    if file is None:
        package = module.split(".")[0]
        installed = facts.environment.source(package) or facts.environment.installed(package)
        folder = any((root / package).is_dir() for root in facts.run.roots)
        missing = facts.environment.installed("trl") and not installed and not folder
        return NamedReward(index, name, known=not missing)
    try:
        text = text_of(file) if file.stat().st_size < LARGEST else ""
        tree = ast.parse(text)
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return NamedReward(index, name, file)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == function:
            plain = not node.decorator_list
            line = text.splitlines()[node.lineno - 1]
            place = Place(file, spot=Spot(node.lineno, node.col_offset + 1, line))
            called = signature(node, name, place) if plain else None
            return NamedReward(index, name, file, called=called)
    return NamedReward(index, name, file, lacking=bool(text) and not _may_have(tree, function))


def _file(facts: Facts, module: str) -> Path | None:
    """The file of a module below the folders in which the run searches."""
    path_parts = module.split(".")
    for root in facts.run.roots:
        base = root.joinpath(*path_parts)
        for file in (base / "__init__.py", base.with_name(f"{base.name}.py")):
            if file.is_file():
                return file
        if any(base.with_name(base.name + end).is_file() for end in EXTENSION_SUFFIXES):
            return None
    return None


def _may_have(tree: ast.Module, name: str) -> bool:
    """Whether a module can define a name in another way than by a plain `def`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            return True
        if isinstance(node, ast.Import | ast.ImportFrom) and any(
            (alias.asname or alias.name).split(".")[0] == name for alias in node.names
        ):
            return True
        if isinstance(node, ast.Name) and node.id in (name, "globals", "exec", "setattr"):
            return True
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and (
            node.name in (name, "__getattr__")
        ):
            return True
    return False
