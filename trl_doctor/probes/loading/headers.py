"""Lets transformers load a checkpoint from the headers of its safetensors files alone.

What is loaded are tensors on the meta device: shape and type, no values, no memory.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..refusal import Refused

LONGEST = 100_000_000
"""Bytes of a header; the reference implementation refuses more."""

TYPES = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "U16": "uint16", "I16": "int16", "U32": "uint32",
    "I32": "int32", "U64": "uint64", "I64": "int64", "F16": "float16", "BF16": "bfloat16",
    "F32": "float32", "F64": "float64", "C64": "complex64", "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
}  # fmt: skip
"""The names that torch has for the types of the format."""


def read_header(file: Path) -> dict[str, Any]:
    """The header of a safetensors file; raises `Refused` if it has none that can be read."""
    try:
        with file.open("rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            header = json.loads(opened.read(length)) if length <= LONGEST else None
    except (OSError, ValueError, RecursionError):
        header = None
    if not isinstance(header, dict):
        raise Refused(f"{file.name} has no header that can be read")
    return header


def shapes(files: Iterable[Path]) -> dict[str, list[int]]:
    """The shape of every tensor in the files by its name."""
    tensors = {}
    for file in files:
        for name, entry in read_header(file).items():
            if name != "__metadata__":
                tensors[name] = entry["shape"]
    return tensors


class Slice:
    """A tensor of a file, as `safe_open(...).get_slice(name)` gives it."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self.entry = entry

    def get_shape(self) -> list[int]:
        """Its shape."""
        shape: list[int] = self.entry["shape"]
        return shape

    def get_dtype(self) -> str:
        """Its type by the format's name."""
        return str(self.entry["dtype"])

    def __getitem__(self, index: Any) -> Any:
        """A part of it on the meta device."""
        import torch

        dtype = getattr(torch, TYPES.get(self.get_dtype(), "uint8"), torch.uint8)
        return torch.empty(self.get_shape(), dtype=dtype, device="meta")[index]


class HeaderOnly:
    """Replaces `safetensors.safe_open`: the same tensors, on the meta device."""

    def __init__(self, file: Any, *_: Any, **__: Any) -> None:
        header = read_header(Path(file))
        self._metadata: dict[str, str] | None = header.pop("__metadata__", None)
        self._entries = header

    def __enter__(self) -> HeaderOnly:
        return self

    def __exit__(self, *why: object) -> None:
        """Nothing is open."""

    def keys(self) -> list[str]:
        """The names of the tensors."""
        return list(self._entries)

    def metadata(self) -> dict[str, str] | None:
        """The free-form part of the header."""
        return self._metadata

    def get_slice(self, name: str) -> Slice:
        """A tensor that is not read yet."""
        return Slice(self._entries[name])

    def get_tensor(self, name: str) -> Any:
        """A tensor on the meta device."""
        return self.get_slice(name)[...]


def all_tensors(file: Any, *_: Any, **__: Any) -> dict[str, Any]:
    """Replaces `safetensors.torch.load_file`."""
    opened = HeaderOnly(file)
    return {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118


@contextlib.contextmanager
def only() -> Iterator[None]:
    """While this lasts, transformers reads headers where it would read tensors.

    Tensors that are missing are not filled either: that would take the memory of the model.
    """
    from transformers import PreTrainedModel, modeling_utils

    here = [(modeling_utils, "safe_open", HeaderOnly),
            (modeling_utils, "safe_load_file", all_tensors),
            (PreTrainedModel, "_initialize_weights", lambda *_, **__: None)]  # fmt: skip
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in here
              if hasattr(owner, name)]  # fmt: skip
    for owner, name, instead in here:
        if hasattr(owner, name):
            setattr(owner, name, instead)
    try:
        yield
    finally:
        for owner, name, original in before:
            setattr(owner, name, original)
