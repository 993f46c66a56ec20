"""Files that a script reads: their JSON, YAML or TOML, or their text."""

from __future__ import annotations

import ast
import json
import tomllib
from contextlib import suppress
from pathlib import Path

from trl_doctor.files import document
from trl_doctor.files.source.command_line.keys import from_json
from trl_doctor.files.source.joined import GIVEN
from trl_doctor.files.source.state import State
from trl_doctor.files.source.values import LibraryObject, Plain, Unknown, Value

LOADERS = frozenset(
    {"yaml.safe_load", "yaml.full_load", "yaml.load", "json.load", "json.loads",
     "omegaconf.OmegaConf.load", "OmegaConf.load", "tomllib.load", "tomllib.loads", "tomli.load",
     "toml.load"}
)  # fmt: skip
"""What reads a file of JSON, YAML or TOML, or the text of one."""

TEMPLATES = (".jinja", ".jinja2", ".j2", ".txt")
"""Ends of the names of files whose text a script may use, as a chat template."""


def of_text(name: str, first: Value | None) -> Value | None:
    """What a text of JSON or TOML in the script says; None if it is none."""
    text = first.value if isinstance(first, Plain) else None
    if not isinstance(text, str) or not name.endswith(".loads"):
        return None
    with suppress(ValueError, RecursionError):
        return from_json(json.loads(text) if name.startswith("json") else tomllib.loads(text))
    return None


def content(state: State, first: Value | None, node: ast.Call) -> Value:
    """The value in a local JSON, YAML or TOML file that is named, was opened, or was read."""
    while isinstance(first, LibraryObject):
        first = first.base or first.argument("file", 0)
    if isinstance(first, Unknown) and GIVEN in first.why:
        return Unknown(first.why, first.span or state.span(node))
    if not isinstance(first, Plain) or not isinstance(first.value, str):
        return state.unknown(node)
    suffix = Path(first.value).suffix.lower()
    if suffix not in (".json", ".yaml", ".yml", ".toml"):
        return state.unknown(node)
    for root in state.homes():
        with suppress(document.Unreadable, ValueError):
            if suffix == ".toml":
                text = document.read_bytes(root / first.value).decode()
                return from_json(tomllib.loads(text))
            return from_json(document.read(root / first.value).value)
    return state.unknown(node, f"{first.value} cannot be read")


def text_of(state: State, encoding: Value | None, node: ast.Call) -> Value | None:
    """The text of a local template that is named, or was opened; None if it is no template."""
    encoding = encoding.argument("file", 0) if isinstance(encoding, LibraryObject) else encoding
    if not isinstance(encoding, Plain) or not isinstance(encoding.value, str):
        return None
    if Path(encoding.value).suffix.lower() not in TEMPLATES:
        return None
    for root in state.homes():
        with suppress(document.Unreadable, UnicodeDecodeError):
            return Plain(document.read_bytes(root / encoding.value).decode(), state.span(node))
    return state.unknown(node, f"{encoding.value} cannot be read")
