"""What the metadata of one installed distribution says."""

from __future__ import annotations

import re
from pathlib import Path

from packaging.version import InvalidVersion, Version

from trl_doctor.files.regular import bytes_of, text_of


def release_of(entry: Path) -> Version | None:
    """The version that a metadata folder or file is of; None if it names none."""
    if entry.suffix == ".dist-info" and not (entry / "METADATA").is_file():
        return None  # what a broken removal leaves
    name_parts = entry.stem.split("-")
    try:
        return Version(name_parts[1] if len(name_parts) > 1 else _stated_version(entry))
    except InvalidVersion:
        return None


def _stated_version(entry: Path) -> str:
    for file in (entry / "METADATA", entry / "PKG-INFO", entry):
        try:
            text = text_of(file, "replace")
        except OSError:
            continue
        field_ = re.search(r"^(?i:Version):(.*)$", text.partition("\n\n")[0], re.MULTILINE)
        if field_:
            return field_[1].strip()
    return ""


def mapping(finder: Path) -> dict[str, str]:
    """The folders of packages in a finder that setuptools writes for an editable install."""
    import ast

    try:
        text = text_of(finder)
        assignment = re.search(
            r"^MAPPING\b[^=\n]*=\s*(\{.*?\})\s*$", text, re.MULTILINE | re.DOTALL
        )
        value = ast.literal_eval(assignment[1]) if assignment else {}
    except (OSError, ValueError, SyntaxError):
        return {}
    return {str(name): str(path) for name, path in value.items()}


def checkout(file: Path) -> Path | None:
    """The folder that `direct_url.json` of an editable install names."""
    from urllib.parse import unquote, urlsplit

    import msgspec

    try:
        origin = msgspec.json.decode(bytes_of(file))
        address = urlsplit(origin["url"])
        editable = origin["dir_info"]["editable"] is True and address.scheme == "file"
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Path(unquote(address.path)) if editable else None
