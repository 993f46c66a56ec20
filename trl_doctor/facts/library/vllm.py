"""Which vLLM a TRL supports, and the names that it imports from the installed one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library import exports, releases, sources
from trl_doctor.facts.library.classes import Module, Sources
from trl_doctor.machine.environment import Environment

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

BOUND = r'(?:Version|version\.parse)\("([\d.]+)"\)'


@dataclass(frozen=True)
class Missing:
    """A name that a module of TRL imports from a module of vLLM, which does not have it."""

    name: str
    module: str
    by: str


def window(environment: Environment) -> SpecifierSet | None:
    """The vLLM releases that the target's trl supports, read where it checks them, else known.

    Empty where any will do, None where that trl does not use vLLM. Raises `Unavailable`.
    """
    trl = environment.known_version("trl")
    known = sources(environment)
    module = known.module("trl.import_utils") if "trl" in known.packages else None
    return (_checked(module.text) if module else None) or releases.vllm_window(trl)


def _checked(text: str) -> SpecifierSet | None:
    from packaging.specifiers import SpecifierSet  # slow to import, and rarely asked for

    body = text.partition("def is_vllm_available(")[2].partition("\ndef ")[0]
    if between := re.search(rf"{BOUND} <= .* <= {BOUND}", body):
        return SpecifierSet(f">={between[1]},<={between[2]}")
    exact = re.search(rf"!= {BOUND}", body)
    return SpecifierSet(f"=={exact[1]}") if exact else None


@lru_cache(maxsize=32)
def missing(environment: Environment, trainer: Trainer) -> tuple[Missing, ...]:
    """The names that importing a trainer needs and the installed vLLM lacks.

    Both have to be installed; raises `Unavailable` where sources cannot be read.
    """
    folder, version = environment.source("vllm"), environment.version("vllm")
    known = sources(environment)
    if folder is None or version is None or "trl" not in known.packages:
        raise Unavailable("trl and vLLM are not both installed here")
    home = exports.home(known, trainer.trainer)
    found = known.definition(home, trainer.trainer) if home else None
    engine = Sources({"vllm": folder})
    return tuple(
        Missing(name, module, by.name)
        for by in (_modules(known, found.module) if found else ())
        for module, name in _needed(by.tree.body, {"TYPE_CHECKING": False}, version)
        if not _has(engine, module, name)
    )


def _modules(known: Sources, name: str, seen: tuple[str, ...] = ()) -> Iterator[Module]:
    """A trainer's module and those about vLLM that importing it imports."""
    module = known.module(name)
    if module is None or name in seen:
        return
    yield module
    for other in dict.fromkeys(home for home, _ in module.imports.values()):
        if other.startswith("trl.") and "vllm" in other:
            yield from _modules(known, other, (*seen, name))


def _needed(
    body: list[ast.stmt], known: dict[str, bool], version: Version
) -> Iterator[tuple[str, str]]:
    """The imports from vLLM that surely happen, as module and name."""
    for statement in body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            truth = _truth(statement.value, known, version)
            if truth is not None:
                known[statement.targets[0].id] = truth
        elif isinstance(statement, ast.If):
            truth = _truth(statement.test, known, version)
            if truth is not None:
                yield from _needed(statement.body if truth else statement.orelse, known, version)
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            module = statement.module or ""
            if module.partition(".")[0] == "vllm":
                yield from ((module, alias.name) for alias in statement.names)


def _truth(node: ast.expr, known: Mapping[str, bool], version: Version) -> bool | None:
    """What a condition comes to where vLLM is installed; None where that cannot be said."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return None
    if node.func.id != "is_vllm_available":
        return None
    said = [*node.args, *(word.value for word in node.keywords)]
    least = [one.value for one in said if isinstance(one, ast.Constant) and one.value is not None]
    try:
        return all(version >= Version(str(one)) for one in least)
    except InvalidVersion:
        return None


def _has(engine: Sources, module: str, name: str) -> bool:
    found = engine.module(module)
    if found is None:
        return False
    if engine.module(f"{module}.{name}"):
        return True
    names = {name, "*", "__getattr__"}  # with either of the last two, any name may be there
    return any(
        getattr(node, attribute, None) in names
        for node in ast.walk(found.tree)
        for attribute in ("name", "id", "asname")
        if not isinstance(getattr(node, "ctx", None), ast.Load)
    )
