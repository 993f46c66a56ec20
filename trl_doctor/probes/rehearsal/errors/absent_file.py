"""A file that is not there: where it was looked for, and whether it was to be written."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from ...named_objects import nodes, resolved

MODE = re.compile(r"[wax][bt+]*")
"""What `open` is given to write a file."""

WRITING = frozenset({"mkdir", "write_text", "write_bytes", "save", "dump", "to_json", "to_csv",
                     "to_parquet", "savefig", "touch"})  # fmt: skip
"""Functions and methods that write a file or make a folder."""


def beside(path: str) -> Iterator[tuple[str, Any]]:
    """Where a file was looked for, and what is there instead."""
    whole = Path(path).absolute()
    folder = next(above for above in whole.parents if above.is_dir())
    yield from {"path": path, "whole": str(whole), "folder": str(folder)}.items()
    names = sorted(entry.name for entry in folder.iterdir())[:2000]
    missing = whole.relative_to(folder).parts[0]
    close = difflib.get_close_matches(missing[:200], names, 1, 0.7)
    yield "similar", close[0] if close else ""


def writes(frame: FrameType, line: int) -> bool:
    """Whether the line of a script opens a file for writing: `open("out/x.json", "w")`."""
    for call in nodes(frame, line):
        if not isinstance(call, ast.Call):
            continue
        name = ast.unparse(call.func).rpartition(".")[2]
        given = [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
        modes = [resolved(value, frame) for value in (*given, *call.args[:2])]
        to_write = any(isinstance(mode, str) and MODE.fullmatch(mode) for mode in modes)
        if name in WRITING or (name == "open" and to_write):
            return True
    return False
