"""The columns of a Parquet file as `datasets` wrote them into it, without a library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LAST = 1024 * 1024
"""Bytes at the end of a file in which its description lies."""

START = b'{"info": {"features": '


def features(file: Path) -> dict[str, Any]:
    """The columns with their types as `datasets` names them; none where it did not write them."""
    try:
        with file.open("rb") as opened:
            size = opened.seek(0, 2)
            opened.seek(max(0, size - LAST))
            tail = opened.read()
    except OSError:
        return {}
    at = tail.rfind(START)
    if not tail.endswith(b"PAR1") or at < 0:
        return {}
    try:
        said, _ = json.JSONDecoder().raw_decode(tail[at:].decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return {}
    found = said["info"]["features"]
    return found if isinstance(found, dict) else {}
