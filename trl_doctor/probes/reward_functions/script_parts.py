"""A script's own reward functions as a module: what they need of it, and nothing else."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ..alone.script_part import made


class Incomplete(Exception):
    """The part of the script cannot be run alone."""


_alone: list[Parts] = []
"""The part of a script whose functions are called, if any."""


def of_what_is_left_out(error: BaseException) -> bool:
    """Whether the rest of the script may keep a function from this error.

    A name that it gives a value after the trainer, a file that it writes, a word that it reads.
    """
    if not _alone or isinstance(error, (OSError, EOFError)):
        return bool(_alone)
    name = re.search(r"name '(\w+)' is not defined", str(error))
    if not isinstance(error, NameError) or not name:
        return False
    parts = list(ast.walk(ast.parse(str(_alone[0].part["text"]))))
    defined = {part.name for part in parts if isinstance(part, (ast.FunctionDef, ast.ClassDef))}
    set_ = {part.id for part in parts if isinstance(part, ast.Name) and not _is_read(part)}
    return name[1] in defined | set_


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


class Parts(MetaPathFinder, Loader):
    """Finds the module of one script, with its functions under the names that they are asked by."""

    def __init__(self, part: Mapping[str, Any], roots: list[str]) -> None:
        self.part, self.module, self.roots = part, str(part["module"]), roots

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module, if it is this one."""
        if name != self.module:
            return None
        return importlib.util.spec_from_loader(name, self, origin=self.part["file"])

    def exec_module(self, module: ModuleType) -> None:
        """Run the statements at their lines of the script; raises `Incomplete`."""
        names = self.part["names"]
        try:
            given = made(self.part, self.roots, lambda given: given)
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise Incomplete(f"its part of the script cannot be run alone ({why})") from error
        functions = given if isinstance(given, (list, tuple)) else [given]
        if len(functions) != len(names):
            raise Incomplete(f"the script gives {len(functions)} reward functions")
        for name, function in zip(names, functions):
            setattr(module, name.rpartition(".")[2], function)


@contextlib.contextmanager
def importable(script: dict[str, Any] | None, roots: list[str]) -> Iterator[None]:
    """The functions of a script can be imported by the name of its file."""
    if script is None:
        yield
        return
    parts = Parts(script, roots)
    before = sys.modules.pop(parts.module, None)
    sys.meta_path.insert(0, parts)
    _alone.append(parts)
    try:
        yield
    finally:
        sys.meta_path.remove(parts)
        _alone.clear()
        sys.modules.pop(parts.module, None)
        if before is not None:
            sys.modules[parts.module] = before
