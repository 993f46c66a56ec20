"""The answer of the probe `libraries`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class FailedImport:
    """Why an import fails."""

    error: str
    """`Class: message` of what the import raises."""

    cause: str
    """The same of the first error, from which the others follow."""

    missing: str
    """The module that is not installed, empty if it is not that."""

    package: str
    """The package at fault, empty if it is not known."""


@dataclass(frozen=True)
class LibrariesAnswer:
    """The imports that fail, by `module` or `module:attribute`."""

    failed: Mapping[str, FailedImport]
