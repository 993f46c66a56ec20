"""Copies of the run's folders with what a script changes in memory after it has loaded them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TEMPLATES = ("chat_template.jinja", "chat_template.json")
"""Files that come before the template of tokenizer_config.json."""


def with_changes(request: dict[str, Any]) -> dict[str, Any]:
    """The request with such copies, in this folder, in the place of the folders of files."""
    changes: Mapping[str, Any] = request.get("in_memory") or {}
    copied = {
        role: str(_copy(Path(request["folders"][role]), role, files))
        for role, files in changes.items()
        if request["folders"].get(role)
    }
    return {**request, "folders": {**request["folders"], **copied}} if copied else request


def _copy(folder: Path, role: str, files: Mapping[str, Mapping[str, Any]]) -> Path:
    """The folder with these values in its files; all other files are links."""
    copy = Path.cwd() / "in-memory" / role / folder.name
    copy.mkdir(parents=True)
    template = "chat_template" in files.get("tokenizer_config.json", {})
    for entry in folder.iterdir():
        if entry.name not in files and not (template and entry.name in TEMPLATES):
            (copy / entry.name).symlink_to(entry)
    for name, values in files.items():
        file = folder / name
        before = json.loads(file.read_text("utf-8")) if file.exists() else {}
        (copy / name).write_text(json.dumps({**before, **values}), "utf-8")
    tokens = {key: value for key, value in files.get("tokenizer_config.json", {}).items()
              if key.endswith("_token")}  # fmt: skip
    stated = folder / "special_tokens_map.json"
    if tokens and stated.exists():
        (copy / stated.name).unlink()
        kept = {**json.loads(stated.read_text("utf-8")), **tokens}
        text = json.dumps({key: value for key, value in kept.items() if value is not None})
        (copy / stated.name).write_text(text, "utf-8")
    return copy
