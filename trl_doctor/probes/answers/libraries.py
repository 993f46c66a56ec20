"""The answer of the probe `libraries`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class FailedImport:
    """Why an import fails, with the error at the bottom of it, each as `Class: message`.

    `missing` is the module that is not installed and `package` the package at fault, as far as
    that can be told: both may be empty.
    """

    error: str
    cause: str
    missing: str
    package: str


@dataclass(frozen=True)
class LibrariesAnswer:
    """The imports that fail, by `module` or `module:attribute`."""

    failed: Mapping[str, FailedImport]
