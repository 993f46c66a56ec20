"""Do the libraries import? If not: what raised at the bottom, and whose package it is."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .answers.libraries import FailedImport, LibrariesAnswer
from .child import import_named

CARRIERS = frozenset({"importlib", "torch", "transformers", "trl", "trl_doctor"})
"""Packages in which an error comes up that another one brought."""


def answer(request: dict[str, Any]) -> LibrariesAnswer:
    """For each `module` or `module:attribute` of `request["imports"]` that fails: why."""
    failed = {}
    for name in request["imports"]:
        try:
            import_named(name)
        except BaseException as error:
            failed[name] = _failed_import(error)
    return LibrariesAnswer(failed)


def _failed_import(error: BaseException) -> FailedImport:
    root = list(_chain(error))[-1]
    missing = getattr(root, "name", None) if isinstance(root, ModuleNotFoundError) else None
    return FailedImport(
        error=f"{type(error).__name__}: {error}"[:1000],
        cause=f"{type(root).__name__}: {root}"[:1000],
        missing=missing or "",
        package=missing.partition(".")[0] if missing else _package(root),
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what it came from, the first cause last."""
    seen: set[int] = set()
    now: BaseException | None = error
    while now is not None and id(now) not in seen:
        seen.add(id(now))
        yield now
        now = now.__cause__ or (None if now.__suppress_context__ else now.__context__)


def _package(error: BaseException) -> str:
    """The package whose code was running, the innermost that is no carrier of others' errors."""
    packages = [_of(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
    inner = [name for name in reversed(packages) if name]
    return next((name for name in inner if name not in CARRIERS), inner[0] if inner else "")


def _of(file: str) -> str:
    """The top-level package that a source file belongs to; empty outside site-packages."""
    parts = Path(file).parts
    for home in ("site-packages", "dist-packages"):
        if home in parts[:-1]:
            return parts[parts.index(home) + 1].removesuffix(".py")
    return ""
