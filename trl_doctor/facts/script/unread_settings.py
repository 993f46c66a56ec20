"""What nothing in a script reads: its settings, with their values, and what it makes to train."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from trl_doctor.core.finding import Place, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.run_script import Unread
from trl_doctor.facts.script.values import json_of
from trl_doctor.files.regular import bytes_of
from trl_doctor.files.source.idle import idle
from trl_doctor.files.source.places import Places
from trl_doctor.files.source.reading import Reading
from trl_doctor.files.source.unread import all_trees, unread
from trl_doctor.files.source.unread_keys import unread_keys
from trl_doctor.files.source.values import Span

MASKS = (
    "train_on_responses_only", "train_on_responses", "train_on_completions_only",
    "train_on_completions", "responses_only", "response_only", "mask_prompt", "mask_prompts",
    "mask_inputs",
)  # fmt: skip
"""Usual names for a loss of the answers alone. TRL has two arguments for it."""

PARTS = {"completion", "labels", "completion_mask", "assistant_masks", "response_template"}
"""What code names that takes questions out of the loss itself."""

MOST, LARGEST = 64, 2**18
"""Files of a folder that are looked at, and bytes of each."""

IMPORTS = r"(?m)^\s*from\s+\.?{}\s+import\s+(\([^)]*\)|[^\n]*)"
"""How another file imports names from a script."""


def _parts_rows(reading: Reading) -> bool:
    """Whether the code makes such columns, or passes such an argument."""
    made = set[object]()
    for node in (node for tree in all_trees(reading) for node in ast.walk(tree)):
        if isinstance(node, ast.Dict):
            made |= {key.value for key in node.keys if isinstance(key, ast.Constant)}
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            made |= {node.slice.value} if isinstance(node.slice, ast.Constant) else set()
        elif isinstance(node, ast.Call):
            made |= {word.arg for word in node.keywords}
            made |= {word.value for word in node.args if isinstance(word, ast.Constant)}
    return bool(made & PARTS)


def _imported_from(script: Path) -> frozenset[str]:
    """The names that other files of the folder import from a script."""
    names = set[str]()
    with suppress(OSError):
        beside = [file for file in script.parent.glob("*.py") if file.name != script.name]
        for file in beside[:MOST]:
            with suppress(OSError, ValueError):
                text = bytes_of(file, LARGEST).decode(errors="replace")
                for match in re.finditer(IMPORTS.format(re.escape(script.stem)), text):
                    names.update(re.findall(r"\w+", match[1]))
    return frozenset(names)


def unread_settings(reading: Reading, places: Places) -> Iterator[Unread]:
    """Those whose values are known."""
    for setting in unread(reading):
        with suppress(Unavailable):
            value = json_of(reading.state, setting.name, setting.value)
            at = pointer(setting.name)
            place = Place(setting.file, at) if setting.file else places.place("", setting.span)
            yield Unread(setting.name, value, place, setting.stated, setting.derived)
    modules = all_trees(reading)[len(reading.trees) :]
    keys = [] if reading.incomplete else list(unread_keys(reading.trees, modules))
    parted = any(key.name in MASKS for key in keys) and _parts_rows(reading)
    for key in (key for key in keys if not (parted and key.name in MASKS)):
        yield Unread(key.name, key.value, places.place("", key.span), stated=False)


def idle_parts(reading: Reading) -> Iterator[tuple[str, Span]]:
    """The words for each part that the script makes for its training and never uses.

    Another file of its folder may import it.
    """
    parts = list(idle(reading))
    wanted = _imported_from(reading.state.pieces[0].path) if parts else frozenset[str]()
    for part in (part for part in parts if part.name not in wanted):
        made = f"{part.what} {part.name}" if part.what in ("function", "class", "text") else (
            f"{part.name}, which {part.what}(…) makes" + ", but to print it" * part.shown
        )  # fmt: skip
        yield made, part.span
