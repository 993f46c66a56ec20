"""Whether a file or folder exists, as a script asks it: the files of its project are here."""

from __future__ import annotations

import ast
from contextlib import suppress
from pathlib import Path

from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import Plain, Value

METHODS = frozenset({"exists", "is_file", "is_dir"})
FUNCTIONS = {"os.path.exists": "exists", "os.path.isfile": "is_file", "os.path.isdir": "is_dir"}

SETTINGS = (".yaml", ".yml", ".toml")
"""Files of a project: where its folder is here and the file is not, the job has none either."""


def method(state: State, owner: Value, name: str, node: ast.AST) -> Value | None:
    """`path.exists()` and its kind; None for any other method."""
    return _asked(state, owner, name, node) if name in METHODS else None


def call(state: State, name: str, values: list[Value], node: ast.AST) -> Value | None:
    """`os.path.exists(path)` and its kind; None for any other function."""
    asks = FUNCTIONS.get(name) if len(values) == 1 else None
    return _asked(state, values[0], asks, node) if asks else None


def _asked(state: State, path: Value, asks: str, node: ast.AST) -> Value | None:
    """True for what is here; False only for settings: other files the job may have or make."""
    if not isinstance(path, Plain) or not isinstance(path.value, str) or not path.value:
        return None
    with suppress(OSError, ValueError, RuntimeError):
        paths = [root / Path(path.value).expanduser() for root in state.homes()]
        if any(getattr(one, asks)() for one in paths):
            return Plain(True, state.span(node))
        if _is_setting(Path(path.value), state) and not any(map(Path.exists, paths)):
            return Plain(False, state.span(node))
    return state.unknown(node)


def _is_setting(path: Path, state: State) -> bool:
    """Whether a path is that of a settings file in a folder of the project."""
    first = path.parts[0] if len(path.parts) > 1 else ""
    inside = first and not path.is_absolute() and first not in ("~", "..")
    return (
        bool(inside)
        and path.suffix in SETTINGS
        and any((root / first).is_dir() for root in state.homes())
    )
