"""Waits for modules to be imported, and acts on each once it is there."""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

Action = Callable[[ModuleType], None]
"""Called with a module that was just imported."""


class Waiting(importlib.abc.MetaPathFinder):
    """Finds what the finders after it find, and sees modules come; it imports none by itself."""

    def __init__(self) -> None:
        self._actions: dict[str, Action] = {}
        self._patterns: list[tuple[str, str, Action]] = []

    def on(self, module: str, action: Action) -> None:
        """Act once a module has been imported; `trl.*_trainer` is a pattern of one star."""
        if "*" in module:
            start, _, end = module.partition("*")
            self._patterns.append((start, end, action))
        else:
            self._actions[module] = action

    def action(self, module: str) -> Action | None:
        """What is to be done about a module."""
        if module in self._actions:
            return self._actions[module]
        for start, end, action in self._patterns:
            if module.startswith(start) and module.endswith(end):
                return action
        return None

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        action = self.action(name)
        if action is None:
            return None
        spec = _spec(self, name, path, target)
        if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
            return spec
        self._watch(spec.loader, name, action)
        return spec

    def _watch(self, loader: Any, name: str, action: Action) -> None:
        """Let the loader of one module also act on it. The module's spec and loader stay."""
        run = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            run(module)
            with contextlib.suppress(Exception):  # a library of another shape
                action(sys.modules.get(name, module))

        loader.exec_module = exec_module


def _spec(
    us: Waiting, name: str, path: Sequence[str] | None, target: ModuleType | None
) -> importlib.machinery.ModuleSpec | None:
    for finder in sys.meta_path:
        if finder is us or not hasattr(finder, "find_spec"):
            continue
        spec = finder.find_spec(name, path, target)
        if spec is not None:
            return spec
    return None
