"""Files of accelerate and DeepSpeed among several targets: they are parts of a run, and no runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from trl_doctor.files import document
from trl_doctor.files.programs import PARTS, of_keys
from trl_doctor.files.regular import text_of

MAY_BE = re.compile(rf"\b(?:{'|'.join(key for keys in PARTS.values() for key in sorted(keys))})\b")
"""Keys of these files: only a file that has one is parsed here."""


def without_parts(targets: Sequence[str]) -> tuple[list[str], list[str]]:
    """The targets without such files, and a sentence for each that is left out.

    All stay where only one target is named, or where nothing else is.
    """
    kinds = {target: _part(Path(target)) for target in targets} if len(targets) > 1 else {}
    left_out = [target for target, kind in kinds.items() if kind]
    if len(left_out) == len(targets):
        return list(targets), []
    sentences = [
        f"{target} is left out: {kinds[target]} is read with the job or the run file that names it"
        for target in left_out
    ]
    return [target for target in targets if target not in left_out], sentences


def _part(path: Path) -> str:
    """Which of these files it is; "" for all others, and for what cannot be read."""
    if path.suffix.lower() not in (".yaml", ".yml", ".json") or not path.is_file():
        return ""
    try:
        if not MAY_BE.search(text_of(path, "replace")):
            return ""
        kind = of_keys(path, document.read(path).value)
    except (OSError, document.Unreadable):
        return ""
    return kind if kind in PARTS else ""
