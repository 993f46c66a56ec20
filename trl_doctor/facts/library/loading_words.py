"""The arguments that `from_pretrained` of a model takes in the installed transformers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.files.regular import text_of

READS = ("modeling_utils.py", "configuration_utils.py", "models/auto/auto_factory.py",
         "utils/hub.py")  # fmt: skip
"""The sources that take arguments out of the keywords of `from_pretrained`."""

CONFIGS = "models/*/configuration_*.py"
"""What is left over must be an attribute of the model's config."""


def not_taken(facts: Facts, names: Iterable[str]) -> frozenset[str]:
    """The names that no source of loading and no config of any model mentions.

    Raises `Unavailable` if the sources of transformers are not here.
    """
    folder = facts.environment.source("transformers")
    if folder is None:
        raise Unavailable("transformers is not installed here, or another release is stated")
    unknown = set(names)
    for text in _texts(folder):
        unknown = {name for name in unknown if not re.search(rf"\b{re.escape(name)}\b", text)}
        if not unknown:
            break
    return frozenset(unknown)


def _texts(folder: Path) -> Iterator[str]:
    """The sources, those that mention most first. Raises `Unavailable` if one cannot be read."""
    main = [folder / name for name in READS]
    try:
        yield from (text_of(file) for file in main if file.name != "hub.py" or file.is_file())
        yield from (text_of(file) for file in sorted(folder.glob(CONFIGS)))
    except (OSError, ValueError) as error:
        raise Unavailable(f"the sources of transformers cannot be read: {error}") from error
