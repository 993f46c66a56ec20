"""The configuration that hydra composes of its files and of the words of a command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.hydra_words import OF_HYDRA, SWEEPS, values
from trl_doctor.files.source.command_line.keys import typed
from trl_doctor.files.source.values import Plain
from trl_doctor.files.unknown_word import OPEN, PLACEHOLDER

MOST_FILES = 100
YAML = (".yaml", ".yml")

PACKAGE = re.compile(r"^#\s*@package\s+(\S+)", re.MULTILINE)
"""The line of a file that says where its values are in the whole."""

OPTIONS = {"--config-path": "path", "-cp": "path", "--config-name": "name", "-cn": "name"}
"""Options of hydra itself that name its files."""


def named(words: Sequence[str]) -> dict[str, str]:
    """The folder ("path") and the file ("name") that a command line gives hydra."""
    found: dict[str, str] = {}
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if key := OPTIONS.get(option):
            found[key] = value if equals else words[at + 1] if at + 1 < len(words) else ""
    return found


def composed(root: Path, name: str, words: Sequence[str]) -> dict[str, Any]:
    """The whole configuration. Raises `Unreadable` and `ValueError`."""
    whole = _of_file(root, document.read(_path(root, name)), [])
    given = [word for at, word in enumerate(words) if not at or words[at - 1] not in OPTIONS]
    swept = any(word in SWEEPS for word in words)
    for word in given:
        if not word.startswith(OF_HYDRA):
            _override(root, whole, values(word)[0] if swept else word)
    return whole


def _path(root: Path, name: str) -> Path:
    return root / (name if name.endswith(YAML) else f"{name}.yaml")


def _of_file(root: Path, file: Document, seen: list[Path]) -> dict[str, Any]:
    """The values of a file of hydra with those of the files that its `defaults` name."""
    seen.append(file.path)
    if len(seen) > MOST_FILES:
        raise ValueError(f"{seen[0].name} names more than {MOST_FILES} files in its defaults")
    own = dict(file.mapping())
    whole: dict[str, Any] = {}
    after = False
    for group, other in _defaults(own.pop("defaults", [])):
        if other == "_self_":
            _merge(whole, own)
            after = True
            continue
        _merge(whole, _of_group(root, group, other, seen))
    if not after:
        _merge(whole, own)
    return whole


def _of_group(root: Path, group: str, name: str, seen: list[Path]) -> dict[str, Any]:
    """The values of a file of a group at their place in the whole."""
    folder = root / group if group else root
    file = document.read(_path(folder, name))
    part = _of_file(folder, file, seen)
    header = PACKAGE.search(file.data.decode(errors="replace"))
    package = header[1] if header else "_group_"
    if package == "_global_" and len(seen) > 2:
        raise ValueError(f"{name} of {group} has its values outside of the file that names it")
    parts = group.split("/") if package == "_group_" else package.split(".")
    for key in reversed([key for key in parts if key and package != "_global_"]):
        part = {key: part}
    return part


def _defaults(entries: Any) -> Iterator[tuple[str, str]]:
    """The group and the file that each entry of a list of `defaults` names."""
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, str):
            yield "", entry
        for key, value in entry.items() if isinstance(entry, dict) else ():
            group = str(key).removeprefix("override ").removeprefix("optional ").partition("@")[0]
            if isinstance(value, str) and not group.startswith("hydra/"):
                yield group, value


def _override(root: Path, whole: dict[str, Any], word: str) -> None:
    """`a.b=1` of the command line, or another file of a group, `a=other`."""
    key, equals, text = word.partition("=")
    key = key.lstrip("+~")
    if not equals or word.startswith("-"):
        return
    if "." not in key and _path(root / key, text).is_file():
        part = _of_group(root, key, text, [])
        if "/" not in key and set(part) == {key}:
            whole.pop(key, None)  # another file of the group takes the place of the first
        _merge(whole, part)
        return
    *route, last = key.split(".")
    for step in route:
        inner = whole.setdefault(step, {})
        if not isinstance(inner, dict):
            return
        whole = inner
    value = typed(Plain(PLACEHOLDER if OPEN in text else text))
    whole[last] = value.value if isinstance(value, Plain) else text


def _merge(whole: dict[str, Any], other: Mapping[str, Any]) -> None:
    for key, value in other.items():
        inner = whole.get(key)
        if isinstance(inner, dict) and isinstance(value, dict):
            _merge(inner, value)
        else:
            whole[key] = value
