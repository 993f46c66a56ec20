"""Keys of the script's own files that name what a training begins from, and that nothing reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...members import word
from ...named_objects import nodes_of
from ..record import Mistake
from ..where import own_files
from . import config_files
from .whole_sections import whole_sections

POINTS = re.compile(
    r"adapter|(?:^|_)(?:resume|pretrained|init)(?:_|$)|lora_(?:path|dir|weights|checkpoint)"
    r"|(?:from|load|start|base)_(?:checkpoint|ckpt)|(?:ref|reference|reward|teacher)_model"
    r"|(?:chat_template|system_prompt|tokenizer)"
)
"""Keys of texts that say what a training begins from, or what it shows the model."""

SWITCHES = re.compile(
    r"(?:lora_(?:r|rank|alpha|dropout)|use_q?(?:lora|peft|dora|rslora)|load_in_[48]bit)"
)
"""Keys of numbers, and of what is turned on, that change the model."""

OTHER = re.compile(
    r"(?:^|_)(?:(?:out|output|save|saved|push|hub|export|log|cache)(?:_|\b)|(?:type|kind|names?)\b)"
)
"""Keys of what is written, and of labels."""

NOTHING = frozenset({"", "none", "null", "auto", "no", "false", "default"})
FEWEST, DEEPEST = 3, 5
"""Values of a part of the file that the trainer's config has, at least; how deep is looked."""


Scalars = list[tuple[tuple[str, ...], str, Any]]
"""The keys of sections that lead to a key, the key, its value."""


def unread(config: Any, given: Mapping[str, Any] | None) -> Iterator[Mistake]:
    """Such keys, in a part of a file whose other values the trainer's config has.

    Not where a section is handed on as a whole, or keys are put together.
    """
    if not given or not config_files.loaded:
        return
    code = read_by_key()
    if code is None:
        return
    _, whole = code
    words = set[str]().union(*config_files.words_of(own_files()))
    used = {word(value) for value in given.values() if type(value) in (int, float, str)}
    for file in [*config_files.loaded]:
        lost = [
            f"{key} ({word(value)[:40]})"
            for looked_at in _branches(file.values, used)
            for path, key, value in looked_at
            if key not in words
            and key not in getattr(config, "__dataclass_fields__", {})
            and words.issuperset(path)
            and (path[-1] if path else "") not in whole
            and _means_much(key, value)
            and _beside(looked_at, path, words)
        ]
        if lost and not _interpolated(file.path, lost):
            others = config_files.read_by_others(file.path)
            if told := [text for text in lost if text.split()[0] not in others]:
                config_files.loaded.remove(file)
                words_ = [", ".join(dict.fromkeys(told[:4])), file.file]
                yield Mistake("start of file unread", words_)


def read_by_key() -> tuple[list[ast.AST], set[str]] | None:
    """The script's own code, and the sections that it hands on as a whole.

    None if that may be all of them, or keys are put together.
    """
    nodes = [node for file in own_files() for node in nodes_of(file)]
    whole = whole_sections(nodes)
    return None if whole is None or any(map(_is_made, nodes)) else (nodes, whole)


def _branches(loaded: Mapping[str, Any], used: set[str]) -> Iterator[Scalars]:
    """The parts of the file that have values of the trainer's config.

    The sections at its top are parts, and what is beside them. Where none of these has enough
    values alone, they are sections of one run.
    """
    own = [*scalars(loaded, (), 0)]
    parts = [
        [one for one in own if one[0][:1] == (top,)]
        for top in dict.fromkeys(path[0] for path, _, _ in own if path)
    ]
    enough = [part for part in parts if _counted(part, used) >= FEWEST]
    if _counted(own, used) >= FEWEST:
        yield [one for one in own if not one[0]]
        yield from enough or parts


def _counted(part: Scalars, used: set[str]) -> int:
    return sum(value is not None and word(value) in used for _, _, value in part)


def scalars(
    loaded: Mapping[Any, Any], path: tuple[str, ...], depth: int
) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """The keys of a file; None for the value of one that leads to a section."""
    for key, value in loaded.items():
        if isinstance(value, Mapping) and depth < DEEPEST:
            yield (path, str(key), None)
            yield from scalars(value, (*path, str(key)), depth + 1)
        else:
            yield (path, str(key), value)


def _beside(branch: Scalars, path: tuple[str, ...], words: set[str]) -> bool:
    """Whether at least half of the other keys of the section are read."""
    beside = [key for place, key, value in branch if place == path and not _means_much(key, value)]
    return 0 < len(beside) <= 2 * sum(key in words for key in beside)


def _means_much(key: str, value: Any) -> bool:
    if OTHER.search(key):
        return False
    if isinstance(value, str):
        return value.strip().lower() not in NOTHING and POINTS.search(key) is not None
    return isinstance(value, (bool, int, float)) and bool(value) and bool(SWITCHES.fullmatch(key))


def _is_made(node: ast.AST) -> bool:
    """Whether a key is put together: `config[f"{stage}_path"]`."""
    if isinstance(node, ast.Subscript):
        slice_ = node.slice
        return isinstance(slice_, ast.JoinedStr) or (
            isinstance(slice_, ast.BinOp) and isinstance(slice_.op, ast.Add) and _has_text(slice_)
        )
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    made = (ast.JoinedStr, ast.BinOp)
    return name in ("get", "pop", "getattr") and any(isinstance(one, made) for one in node.args[:2])


def _has_text(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Constant) and isinstance(one.value, str)
               for one in ast.walk(node))  # fmt: skip


def _interpolated(path: str, lost: list[str]) -> bool:
    """Whether the file itself reads one of these keys: `${train.adapter_path}`."""
    names = "|".join(re.escape(text.split()[0]) for text in lost)
    try:
        text = Path(path).read_text("utf-8", "replace")
    except OSError:
        return False
    return re.search(rf"\$\{{[^}}]*\b(?:{names})\b", text) is not None
