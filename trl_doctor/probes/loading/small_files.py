"""The small files of a model folder: config, tokenizer, templates, and code where it is trusted."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from pathlib import Path

from .config import ADAPTER

SUFFIXES = frozenset((".json", ".txt", ".model", ".jinja", ".tiktoken"))
LARGEST = 256 * 1024**2
"""Bytes of the largest file that counts as small."""


def small_files(folder: Path, trusted: bool) -> Iterator[Path]:
    """The files that a copy of this folder needs besides weights, with code where it is trusted."""
    suffixes = SUFFIXES | {".py"} if trusted else SUFFIXES
    for file in (*folder.iterdir(), *folder.glob("additional_chat_templates/*")):
        unwanted = file.name == ADAPTER or ".index." in file.name
        matches = file.suffix in suffixes and file.is_file() and not unwanted
        if matches and file.stat().st_size < LARGEST:
            yield file


def copied(source: Path, into: Path, trusted: bool, spared: Collection[str] = ()) -> None:
    """Copy the small files of a folder into another; names that are spared are left as they are."""
    for file in small_files(source, trusted):
        if file.name not in spared:
            copy = into / file.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(file), str(copy))
