"""The vLLM releases that a TRL supports, and the names that it imports from the installed one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct
from packaging.version import InvalidVersion, Version

from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library import exports, releases, sources
from trl_doctor.facts.library.classes import Module, Sources
from trl_doctor.machine.environment import Environment

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

BOUND = r'(?:Version|version\.parse)\("([\d.]+)"\)'


class Missing(Struct, frozen=True):
    """A name that a module of TRL imports from a module of vLLM, and that vLLM does not have."""

    name: str
    module: str
    by: str


def window(environment: Environment) -> SpecifierSet | None:
    """The vLLM releases that the target's trl supports, from its source or else our data.

    Empty if any release is allowed, None if that trl does not use vLLM. Raises `Unavailable`.
    """
    trl = environment.known_version("trl")
    packages = sources(environment)
    module = packages.module("trl.import_utils") if "trl" in packages.packages else None
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
    """The names that the import of a trainer needs and the installed vLLM lacks.

    Both must be installed; raises `Unavailable` if the sources cannot be read.
    """
    folder, version = environment.source("vllm"), environment.version("vllm")
    packages = sources(environment)
    if folder is None or version is None or "trl" not in packages.packages:
        raise Unavailable("trl and vLLM are not both installed here")
    home = exports.home(packages, trainer.trainer)
    definition = packages.definition(home, trainer.trainer) if home else None
    engine = Sources({"vllm": folder})
    return tuple(
        Missing(name, module, by.name)
        for by in (_modules(packages, definition.module) if definition else ())
        for module, name in _vllm_imports(by.tree.body, {"TYPE_CHECKING": False}, version)
        if not _has(engine, module, name)
    )


def _modules(packages: Sources, name: str, visited: tuple[str, ...] = ()) -> Iterator[Module]:
    """The module of a trainer, and the modules about vLLM that its import imports."""
    module = packages.module(name)
    if module is None or name in visited:
        return
    yield module
    for imported in dict.fromkeys(home for home, _ in module.imports.values()):
        if imported.startswith("trl.") and "vllm" in imported:
            yield from _modules(packages, imported, (*visited, name))


def _vllm_imports(
    body: list[ast.stmt], truths: dict[str, bool], version: Version
) -> Iterator[tuple[str, str]]:
    """The imports from vLLM that are certainly executed, as module and name."""
    for statement in body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            truth = _truth(statement.value, truths, version)
            if truth is not None:
                truths[statement.targets[0].id] = truth
        elif isinstance(statement, ast.If):
            truth = _truth(statement.test, truths, version)
            if truth is not None:
                yield from _vllm_imports(
                    statement.body if truth else statement.orelse, truths, version
                )
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            module = statement.module or ""
            if module.partition(".")[0] == "vllm":
                yield from ((module, alias.name) for alias in statement.names)


def _truth(node: ast.expr, truths: Mapping[str, bool], version: Version) -> bool | None:
    """The value of a condition where vLLM is installed; None if it is not known."""
    if isinstance(node, ast.Name):
        return truths.get(node.id)
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return None
    if node.func.id != "is_vllm_available":
        return None
    argument_nodes = [*node.args, *(word.value for word in node.keywords)]
    minimums = [
        node.value
        for node in argument_nodes
        if isinstance(node, ast.Constant) and node.value is not None
    ]
    try:
        return all(version >= Version(str(minimum)) for minimum in minimums)
    except InvalidVersion:
        return None


def _has(engine: Sources, module: str, name: str) -> bool:
    imported = engine.module(module)
    if imported is None:
        return False
    if engine.module(f"{module}.{name}"):
        return True
    names = {name, "*", "__getattr__"}  # the last two can provide any name
    return any(
        getattr(node, attribute, None) in names
        for node in ast.walk(imported.tree)
        for attribute in ("name", "id", "asname")
        if not isinstance(getattr(node, "ctx", None), ast.Load)
    )
