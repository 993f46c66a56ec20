"""The header of a safetensors file, held to every limit of the format; no tensor is read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

import msgspec
from msgspec import Struct

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files import regular

LONGEST_HEADER = 100_000_000
"""Bytes; the reference implementation refuses more."""

BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "U16": 16, "I16": 16, "U32": 32, "I32": 32, "U64": 64, "I64": 64,
    "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8,
    "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "F16": 16, "BF16": 16, "F32": 32, "F64": 64, "C64": 64,
}  # fmt: skip
"""Bits of one element by the format's name of its type."""

POINTER = b"version https://git-lfs.github.com/spec/"
"""How the text that Git LFS leaves in place of a file begins."""

Harm: TypeAlias = Literal["unreadable", "pointer", "truncated", "format"]


class Damaged(Unavailable):
    """A weights file that cannot be loaded; `reason` is a clause about it, `kind` its kind."""

    def __init__(self, path: Path, reason: str, kind: Harm = "format") -> None:
        super().__init__(f"{path.name} {reason}")
        self.path, self.reason, self.kind = path, reason, kind


class Tensor(Struct, frozen=True):
    """`begin` and `end` count bytes from the end of the header."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int


class Header(Struct, frozen=True):
    """All tensors of a file by name, and its free-form metadata."""

    tensors: Mapping[str, Tensor]
    metadata: Mapping[str, str]


class _Entry(msgspec.Struct, gc=False):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


_entries = msgspec.json.Decoder(dict[str, msgspec.Raw])
_entry = msgspec.json.Decoder(_Entry)
_metadata = msgspec.json.Decoder(dict[str, str] | None)


def read_header(path: Path) -> Header:
    """The header of a safetensors file; raises `Damaged` if the file breaks the format."""
    try:
        with _opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            length = _length(path, file.read(9), size)
            file.seek(8)
            raw = file.read(length)
    except OSError as error:
        raise _unreadable(path, error) from error
    header = _parse(path, raw)
    _check(path, header.tensors, size - 8 - length)
    return header


def check_present(path: Path) -> None:
    """Raise `Damaged` if a weights file of any kind cannot be read or is a Git LFS pointer."""
    try:
        _opened(path).close()
    except OSError as error:
        raise _unreadable(path, error) from error


def _opened(path: Path) -> BinaryIO:
    """The file, at its beginning; raises `Damaged` if it is a pointer or no file at all."""
    try:
        file = regular.opened(path)
    except IsADirectoryError as error:
        raise Damaged(path, f"is {error}, not a file", "unreadable") from error
    start = file.read(200)
    if start.startswith(POINTER):
        file.close()
        size = start.partition(b"\nsize ")[2].split(b"\n")[0]
        amount = f" ({int(size):,} bytes)" if size.isdigit() else ""
        problem = f"is a Git LFS pointer, the file{amount} was never downloaded: run git lfs pull"
        raise Damaged(path, problem, "pointer")
    file.seek(0)
    return file


def _unreadable(path: Path, error: OSError) -> Damaged:
    return Damaged(path, f"cannot be read: {error.strerror or error}", "unreadable")


def _length(path: Path, start: bytes, size: int) -> int:
    if size < 8:
        raise Damaged(path, f"has {size} bytes, less than a safetensors header", "truncated")
    length = int.from_bytes(start[:8], "little")
    if length > LONGEST_HEADER:
        raise Damaged(path, f"claims a header of {length:,} bytes, the most is {LONGEST_HEADER:,}")
    if 8 + length > size:
        claim = f"ends inside its header, {size:,} bytes of at least {8 + length:,}"
        raise Damaged(path, claim, "truncated")
    if start[8:9] != b"{":
        raise Damaged(path, "has a header that does not begin with {")
    return length


def _parse(path: Path, raw: bytes) -> Header:
    try:
        entries = _entries.decode(raw)
        metadata = entries.pop("__metadata__", None)
        tensors = {name: _tensor(_entry.decode(entry)) for name, entry in entries.items()}
        labels = _metadata.decode(metadata or b"null") or {}
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise Damaged(path, f"has a header that is no tensor list: {error}") from error
    if raw.count(b'"data_offsets"') != len(tensors) and (name := _repeated(raw)) is not None:
        raise Damaged(path, f"names {name!r} twice in its header")
    return Header(tensors, labels)


def _tensor(entry: _Entry) -> Tensor:
    return Tensor(entry.dtype, tuple(entry.shape), *entry.data_offsets)


def _repeated(raw: bytes) -> str | None:
    """The first key of the header that occurs twice; slow, but certain."""
    import json

    def first_repeated(pairs: list[tuple[str, object]]) -> str | None:
        keys: set[str] = set()
        for key, _ in pairs:
            if key in keys:
                return key
            keys.add(key)
        return None

    return json.loads(raw, object_pairs_hook=first_repeated)  # type: ignore[no-any-return]


def _elements(shape: tuple[int, ...]) -> int:
    """The number of elements of a tensor; 2**64 means that many or more."""
    count, most = 1, 2**64
    for size in shape:
        count *= size
        if count >= most:
            return most
    return count


def _check(path: Path, tensors: Mapping[str, Tensor], size: int) -> None:
    """The tensors must have the size of their shape and fill the file without gaps."""
    end = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: (item[1].begin, item[1].end)):
        if tensor.dtype not in BITS:
            raise Damaged(path, f"gives {name} the type {tensor.dtype!r}, which is unknown")
        if min(tensor.shape, default=0) < 0 or tensor.begin < 0 or tensor.end < tensor.begin:
            raise Damaged(path, f"gives {name} negative sizes")
        if tensor.begin != end:
            problem = "overlaps the tensor before it" if tensor.begin < end else "leaves a hole"
            raise Damaged(path, f"has {name} at byte {tensor.begin:,}, which {problem}")
        if _elements(tensor.shape) * BITS[tensor.dtype] != (tensor.end - tensor.begin) * 8:
            shape = " x ".join(map(str, tensor.shape)) or "a scalar"
            stored = f"{tensor.end - tensor.begin:,} bytes"
            raise Damaged(path, f"stores {name} ({shape} of {tensor.dtype}) in {stored}")
        end = tensor.end
    if size < end:
        raise Damaged(path, f"is cut short: {size:,} of {end:,} bytes of tensors", "truncated")
    if size > end:
        raise Damaged(path, f"has {size - end:,} bytes that belong to no tensor")
