"""The arguments that a library takes to load a model (`from_pretrained`) or rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.files.regular import text_of


class Sources(Struct, frozen=True):
    """`reads` take arguments out of the keywords; the rest must be a field of one of `configs`."""

    reads: tuple[str, ...]
    configs: str


SOURCES = {
    "transformers": Sources(
        ("modeling_utils.py", "configuration_utils.py", "models/auto/auto_factory.py",
         "utils/hub.py"),
        "models/*/configuration_*.py",
    ),
    "datasets": Sources(("load.py", "builder.py"), "packaged_modules/*/*.py"),
}  # fmt: skip


def not_taken(facts: Facts, package: str, names: Iterable[str]) -> frozenset[str]:
    """The names that no source of loading and no config mentions, of "transformers" or "datasets".

    Raises `Unavailable` if the sources of the package are not here.
    """
    folder = facts.environment.source(package)
    if folder is None:
        raise Unavailable(f"{package} is not installed here, or another release is stated")
    unknown = set(names)
    for text in _texts(folder, SOURCES[package]):
        unknown = {name for name in unknown if not re.search(rf"\b{re.escape(name)}\b", text)}
        if not unknown:
            break
    return frozenset(unknown)


def _texts(folder: Path, sources: Sources) -> Iterator[str]:
    """The texts of the files that are there. Raises `Unavailable` if one cannot be read."""
    files = [folder / name for name in sources.reads]
    try:
        yield from (text_of(file) for file in files if file.is_file())
        yield from (text_of(file) for file in sorted(folder.glob(sources.configs)))
    except (OSError, ValueError) as error:
        raise Unavailable(f"the sources of {folder.name} cannot be read: {error}") from error
