"""What the tests of the Hub share: files as they are there, and how an id becomes a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files import hub
from trl_doctor.files.hub.fetch import HubLimits

FOREIGN = ("HF_", "HUGGING", "TRANSFORMERS_", "XDG_CACHE_HOME", "HTTP", "ALL_PROXY", "NO_PROXY")

QUICK = HubLimits(read=1.0, whole=120.0)

WEIGHTS = 16 << 20


def shard(path: Path, tensors: int = 3, size: int = WEIGHTS) -> bytes:
    """A true safetensors file of that size whose data is a hole; its header."""
    length = 90 * tensors
    ends = [*range(1, tensors), size - 8 - length]
    entries = {
        f"layer.{n}": {"dtype": "U8", "shape": [stop - start], "data_offsets": [start, stop]}
        for n, (start, stop) in enumerate(pairwise([0, *ends]))
    }
    header = length.to_bytes(8, "little") + json.dumps(entries).encode().ljust(length)
    with path.open("wb") as file:
        file.write(header)
        file.truncate(size)
    return header


def write(folder: Path, files: Mapping[str, object]) -> Path:
    """The folder with these files; text and bytes are written as they are, the rest as JSON."""
    for name, value in files.items():
        text = value if isinstance(value, str | bytes) else json.dumps(value)
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def resolve(text: str, offline: bool = False, limits: HubLimits | None = None) -> hub.Snapshot:
    return hub.resolve(hub.parse(text), offline=offline, limits=limits)


def reason(text: str, **options: Any) -> str:
    with pytest.raises(Unavailable) as caught:
        resolve(text, **options)
    return str(caught.value)
