"""Weights in every state: whole, sharded, cut short, forged, pickled, behind pointers and links."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.model import checkpoint
from trl_doctor.facts.model.checkpoint import Weights, of_model, outside_reason
from trl_doctor.facts.model.embeddings import embedding_rows, head_rows
from trl_doctor.files import safetensors
from trl_doctor.files.document import Unreadable
from trl_doctor.files.folder import Folder
from trl_doctor.files.safetensors import BITS, Damaged

LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4cac19\nsize 4976698672\n"
INDEX = "model.safetensors.index.json"
SIZES = {"F32": 4, "BF16": 2, "F16": 2, "I64": 8, "I32": 4, "U8": 1}


def entry(dtype: object = "F32", shape: object = (2,), offsets: object = (0, 8)) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


def packed(header: bytes | Mapping[str, Any], data: int) -> bytes:
    """A safetensors file of a header and as many bytes of data."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(data)


def tensors(**shapes: tuple[int, ...]) -> bytes:
    """A safetensors file with tensors of these names and shapes; `__` in a name is a dot."""
    header, end = {}, 0
    for name, shape in shapes.items():
        size = 2 * prod(shape)
        header[name.replace("__", ".")] = entry("BF16", shape, (end, end + size))
        end += size
    return packed(header, end)


def weights(folder: Path, files: Mapping[str, bytes | str | Mapping[str, Any]]) -> Weights:
    for name, content in files.items():
        text = json.dumps(content) if isinstance(content, Mapping) else content
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return of_model(Folder(folder, "model"))


def header_of(folder: Path, content: bytes) -> safetensors.Header:
    (folder / "model.safetensors").write_bytes(content)
    return safetensors.read_header(folder / "model.safetensors")


# --- one file ----------------------------------------------------------------------------------


def test_a_header_is_read_and_the_metadata_with_it(tmp_path: Path) -> None:
    header = {"__metadata__": {"format": "pt"}, "a": entry("F16", (2, 3), (0, 12))}
    result = header_of(tmp_path, packed(header, 12))
    assert result.metadata == {"format": "pt"}
    assert result.tensors == {"a": safetensors.Tensor("F16", (2, 3), 0, 12)}


@pytest.mark.parametrize(
    ("header", "data"),
    [
        (b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}   ', 8),
        ({}, 0),
        ({"a": entry("F32", (), (0, 4))}, 4),
        ({"a": entry("F32", (0, 5), (0, 0)), "b": entry()}, 8),
        ({"a": entry("F4", (3, 2), (0, 3))}, 3),
        ({"b": entry("F32", (2,), (8, 16)), "a": entry()}, 16),
        ({"data_offsets": entry(), "dtype": entry("F32", (2,), (8, 16))}, 16),
    ],
    ids=["padded", "empty", "scalar", "no elements", "half bytes", "unordered", "odd names"],
)
def test_what_the_format_allows(tmp_path: Path, header: Any, data: int) -> None:
    result = header_of(tmp_path, packed(header, data))
    names = json.loads(header) if isinstance(header, bytes) else header
    assert set(result.tensors) == set(names)


@pytest.mark.parametrize(
    ("content", "kind", "says"),
    [
        (b"", "truncated", "has 0 bytes"),
        (b"\x10\0\0", "truncated", "has 3 bytes"),
        (packed(b"[]", 0), "format", "does not begin with {"),
        (packed(b" {}", 0), "format", "does not begin with {"),
        (struct.pack("<Q", 2**63) + b"{}", "format", "claims a header of"),
        (struct.pack("<Q", 100_000_001) + b"{}", "format", "the most is 100,000,000"),
        (struct.pack("<Q", 100) + b"{}", "truncated", "ends inside its header"),
        (packed(b'{"a": {"dtype"', 0), "format", "no tensor list"),
        (packed(b"{" * 5000, 0), "format", "no tensor list"),
        (packed(b'{"a":' + b"[" * 100_000, 0), "format", "no tensor list"),
        (packed(b'{"\xff": 1}', 0), "format", "no tensor list"),
        (packed({"a": []}, 0), "format", "no tensor list"),
        (packed({"a": {"dtype": "F32"}}, 0), "format", "no tensor list"),
        (packed({"a": entry(shape="2")}, 8), "format", "no tensor list"),
        (packed({"a": entry(shape=(2.5,))}, 8), "format", "no tensor list"),
        (packed({"a": entry(offsets=(0, 8, 9))}, 8), "format", "no tensor list"),
        (packed({"__metadata__": {"a": 1}}, 0), "format", "no tensor list"),
        (packed({"a": entry("F33")}, 8), "format", "the type 'F33'"),
        (packed({"a": entry(shape=(-2,))}, 8), "format", "negative"),
        (packed({"a": entry(offsets=(-8, 0))}, 8), "format", "negative"),
        (packed({"a": entry(offsets=(8, 0))}, 8), "format", "negative"),
        (packed({"a": entry(offsets=(4, 12))}, 12), "format", "leaves a hole"),
        (packed({"a": entry(), "b": entry(offsets=(4, 12))}, 12), "format", "overlaps"),
        (packed({"a": entry(), "b": entry()}, 8), "format", "overlaps"),
        (packed({"a": entry(shape=(3,))}, 8), "format", "stores a (3 of F32) in 8 bytes"),
        (packed({"a": entry(shape=(2**40, 2**40))}, 8), "format", "stores a"),
        (packed({"a": entry(shape=(2**62,) * 400)}, 8), "format", "stores a"),
        (packed({"a": entry("F4", (3,), (0, 1))}, 1), "format", "stores a (3 of F4)"),
        (packed({"a": entry()}, 7), "truncated", "cut short: 7 of 8 bytes"),
        (packed({"a": entry()}, 9), "format", "has 1 bytes that belong to no tensor"),
        (packed({"a": entry(offsets=(0, 2**62))}, 8), "format", "stores a"),
        (LFS.encode(), "pointer", "a Git LFS pointer, the file (4,976,698,672 bytes)"),
        (LFS.partition("oid")[0].encode(), "pointer", "a Git LFS pointer, the file was never"),
    ],
)
def test_every_limit_of_the_format(tmp_path: Path, content: bytes, kind: str, says: str) -> None:
    with pytest.raises(Damaged) as harm:
        header_of(tmp_path, content)
    assert says in harm.value.reason
    assert harm.value.kind == kind
    assert str(harm.value) == f"model.safetensors {harm.value.reason}"


@pytest.mark.parametrize("twice", ["a", "__metadata__"])
def test_a_name_that_stands_there_twice(tmp_path: Path, twice: str) -> None:
    tensor = json.dumps(entry()).encode()
    header = b'{"a":%b,"a":%b}' % (tensor, tensor)
    if twice == "__metadata__":
        header = b'{"a":%b,"__metadata__":{"data_offsets":"1"},"__metadata__":{"b":"2"}}' % tensor
    with pytest.raises(Damaged, match=f"names '{twice}' twice"):
        header_of(tmp_path, packed(header, 8))


@given(st.binary(max_size=60), st.integers(0, 80))
def test_no_bytes_are_a_surprise(tmp_path_factory: Any, noise: bytes, length: int) -> None:
    for content in (noise, struct.pack("<Q", length) + b"{" + noise):
        try:
            header_of(tmp_path_factory.getbasetemp(), content)
        except Damaged as harm:
            assert harm.reason


@given(
    st.dictionaries(
        st.text(max_size=5).filter(lambda name: name != "__metadata__"),
        st.tuples(st.sampled_from(sorted(SIZES)), st.lists(st.integers(0, 5), max_size=3)),
        max_size=5,
    )
)
def test_whatever_is_laid_end_to_end_is_read_back(tmp_path_factory: Any, laid: Any) -> None:
    header, end = {}, 0
    for name, (dtype, shape) in laid.items():
        size = SIZES[dtype] * prod(shape)
        header[name] = entry(dtype, shape, (end, end + size))
        end += size
    result = header_of(tmp_path_factory.getbasetemp(), packed(header, end))
    assert {name: (t.dtype, list(t.shape)) for name, t in result.tensors.items()} == laid


def test_the_bits_of_all_types_are_known() -> None:
    assert {name: BITS[name] // 8 for name in SIZES} == SIZES


# --- a folder ----------------------------------------------------------------------------------


def test_no_weights(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="there are no weights"):
        of_model(Folder(tmp_path, "model"))


def test_a_single_file_wins_over_an_index_and_pickles(tmp_path: Path) -> None:
    index = {"weight_map": {"b": "other.safetensors"}}
    files = {"model.safetensors": tensors(a=(2,)), INDEX: index, "pytorch_model.bin": b"x"}
    stored = weights(tmp_path, files)
    assert stored.shards == ("model.safetensors",)
    assert stored.tensors == {"a": checkpoint.Stored("BF16", (2,), "model.safetensors")}
    assert stored.complete
    assert stored.index is None


def test_shards_missing_damaged_and_without_what_they_promise(tmp_path: Path) -> None:
    promised = {"a": "1.safetensors", "b": "1.safetensors", "c": "2.safetensors"}
    promised |= {"d": "3.safetensors", "e": "4.safetensors"}
    files = {
        INDEX: {"weight_map": promised},
        "1.safetensors": tensors(a=(2, 2)),
        "2.safetensors": tensors(c=(9,))[:-1],
        "4.safetensors": LFS,
    }
    stored = weights(tmp_path, files)
    assert stored.index is not None
    assert stored.index.pointer == "/weight_map"
    assert stored.shards == tuple(f"{n}.safetensors" for n in (1, 2, 3, 4))
    assert stored.missing == ("3.safetensors",)
    assert [(damage.path.name, damage.kind) for damage in stored.damaged] == [
        ("2.safetensors", "truncated"),
        ("4.safetensors", "pointer"),
    ]
    assert stored.absent == {"b": "1.safetensors"}
    assert list(stored.tensors) == ["a"]
    assert not stored.complete


def test_pickled_weights_are_named_and_never_opened(tmp_path: Path) -> None:
    index = {"weight_map": {"a": "p-1.bin", "b": "p-2.bin", "c": "p-3.bin"}}
    files = {"pytorch_model.bin.index.json": index, "p-1.bin": b"cos\nsystem\n", "p-2.bin": LFS}
    stored = weights(tmp_path, files)
    assert stored.form == "pickled"
    assert stored.missing == ("p-3.bin",)
    assert [damage.kind for damage in stored.damaged] == ["pointer"]
    assert not stored.tensors
    assert not stored.absent
    assert not stored.complete


@pytest.mark.parametrize(
    "index",
    [
        [],
        {},
        {"weight_map": []},
        {"weight_map": {}},
        {"weight_map": {"a": 1, "b": None}},
        {"weight_map": "model.safetensors"},
    ],
)
def test_an_index_that_names_no_shards(tmp_path: Path, index: Any) -> None:
    with pytest.raises(Unavailable, match="names no shards"):
        weights(tmp_path, {INDEX: json.dumps(index)})


def test_an_index_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(Unreadable):
        weights(tmp_path, {INDEX: "{"})


@pytest.mark.parametrize(
    ("shard", "why"),
    [
        ("/etc/passwd", "is an absolute path"),
        ("C:\\model.safetensors", "is an absolute path"),
        ("../other/model.safetensors", "leads out of the folder"),
        ("..\\model.safetensors", "leads out of the folder"),
        ("..", "leads out of the folder"),
        ("sub/model.safetensors", "leads into another folder"),
        ("sub\\model.safetensors", "leads into another folder"),
        ("", "is no file name"),
        ("a\0b", "is no file name"),
    ],
)
def test_shards_that_leave_the_folder_are_not_opened(tmp_path: Path, shard: str, why: str) -> None:
    stored = weights(tmp_path, {INDEX: {"weight_map": {"a": shard}}})
    assert stored.outside == {shard: why}
    assert not stored.tensors
    assert not stored.missing
    assert not stored.absent


@pytest.mark.parametrize("shard", ["model-00001-of-00002.safetensors", "a..b", "ö.safetensors"])
def test_plain_names_stay_in_the_folder(shard: str) -> None:
    assert outside_reason(shard) == ""


def test_links_as_in_the_hub_cache_are_followed(tmp_path: Path) -> None:
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "revision"
    blobs.mkdir()
    snapshot.mkdir(parents=True)
    (blobs / "abc").write_bytes(tensors(a=(3,)))
    (snapshot / "model.safetensors").symlink_to("../../blobs/abc")
    assert weights(snapshot, {}).complete
    (blobs / "abc").unlink()
    assert weights(snapshot, {}).missing == ("model.safetensors",)


def test_what_is_no_file_is_damage(tmp_path: Path) -> None:
    names = ("folder.safetensors", "pipe.safetensors", "loop.safetensors", "n" * 300)
    (tmp_path / names[0]).mkdir()
    os.mkfifo(tmp_path / names[1])
    (tmp_path / names[2]).symlink_to(names[2])
    stored = weights(tmp_path, {INDEX: {"weight_map": dict(zip("abcd", names, strict=True))}})
    damaged = {damage.path.name: damage.kind for damage in stored.damaged}
    assert damaged == {names[0]: "unreadable", names[2]: "unreadable", names[3]: "unreadable"}
    assert stored.missing == (names[1],)


# --- embeddings --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shapes", "rows", "head"),
    [
        ({"model__embed_tokens__weight": (32, 4), "lm_head__weight": (33, 4)}, 32, 33),
        ({"wte__weight": (50, 4), "wpe__weight": (9, 4)}, 50, None),
        ({"transformer__wte__weight": (50, 4)}, 50, None),
        ({"gpt_neox__embed_in__weight": (8, 4), "embed_out__weight": (9, 4)}, 8, 9),
        ({"model__tok_embeddings__weight": (8, 4), "output__weight": (9, 4)}, 8, 9),
        ({"bert__embeddings__word_embeddings__weight": (8, 4)}, 8, None),
        ({"shared__weight": (8, 4), "encoder__embed_tokens__weight": (7, 4)}, 8, None),
        (
            {
                "model__visual__embed_tokens__weight": (3, 4),
                "model__language_model__embed_tokens__weight": (8, 4),
                "model__language_model__embed_tokens_per_layer__weight": (7, 4),
            },
            8,
            None,
        ),
        ({"model__layers__61__embed_tokens__weight": (7, 4), "model__embed_tokens__weight": (8, 4)},
         8, None),
        ({"model__embed_tokens__weight": (8,), "attention__output__weight": (9, 4)}, None, None),
    ],
)  # fmt: skip
def test_rows_by_the_names_of_architectures(
    tmp_path: Path, shapes: dict[str, tuple[int, ...]], rows: int | None, head: int | None
) -> None:
    stored = weights(tmp_path, {"model.safetensors": tensors(**shapes)})
    first, last = embedding_rows(stored), head_rows(stored)
    assert (first and first.rows) == rows
    assert (last and last.rows) == head


def test_packed_numbers_are_no_rows(tmp_path: Path) -> None:
    header = {"lm_head.weight": entry("I32", (2, 2), (0, 16))}
    assert head_rows(weights(tmp_path, {"model.safetensors": packed(header, 16)})) is None
