"""The weights of a folder: shards, tensor names, missing files; reads headers, opens no pickles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Literal, TypeAlias

from msgspec import Struct, field

from trl_doctor.core.finding import Json, Place, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.files import safetensors
from trl_doctor.files.folder import Folder
from trl_doctor.files.safetensors import Damaged

PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
"""Endings of files that run code when they are loaded."""

Form: TypeAlias = Literal["safetensors", "pickled"]


class Stored(Struct, frozen=True):
    """A tensor in a shard."""

    dtype: str
    shape: tuple[int, ...]
    file: str


class Weights(Struct, frozen=True):
    """The weights that transformers would load.

    `index` is the place of the shard list, None for a single file. `shards` are all files that
    the list names: those that do not exist are `missing`; those outside the folder are in `outside`
    with the reason and are never opened; those that cannot be loaded are `damaged`.
    `absent` are tensors that the index lists in a shard whose header does not have them.
    Pickled weights have no `tensors`: they are never loaded.
    """

    form: Form
    shards: tuple[str, ...]
    index: Place | None = None
    missing: tuple[str, ...] = ()
    outside: Mapping[str, str] = field(default_factory=dict)
    damaged: tuple[Damaged, ...] = ()
    tensors: Mapping[str, Stored] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every tensor is known: a name that is not in `tensors` is in no file."""
        all_read = not (self.missing or self.outside or self.damaged)
        return self.form == "safetensors" and all_read


def weights(facts: Facts) -> Weights:
    """The model's weights; raises `Unavailable` if the folder has none."""
    weights = of_model(facts.folder)
    if weights.missing and facts.folder.partial:
        raise Unavailable("the local Hub cache has not all of the weights")
    return weights


def adapter_weights(facts: Facts) -> Weights:
    """The weights of a PEFT adapter; raises `Unavailable` if the folder has none."""
    return _first(facts.folder, "adapter_model", "adapter_model", "adapter weights")


def of_model(folder: Folder) -> Weights:
    """The weights of a model folder, searched in the order of transformers.

    A single model.safetensors, its index, a single pytorch_model.bin, its index.
    """
    return _first(folder, "model", "pytorch_model", "weights")


def _first(folder: Folder, stem: str, pickled_stem: str, noun: str) -> Weights:
    single, index = f"{stem}.safetensors", f"{stem}.safetensors.index.json"
    if folder.has(single) or folder.file(single).is_symlink():
        return _read_shards(folder, "safetensors", {}, (single,), None)
    if folder.has(index):
        return _indexed(folder, index, "safetensors")
    if folder.has(f"{pickled_stem}.bin"):
        return _read_shards(folder, "pickled", {}, (f"{pickled_stem}.bin",), None)
    if folder.has(f"{pickled_stem}.bin.index.json"):
        return _indexed(folder, f"{pickled_stem}.bin.index.json", "pickled")
    raise Unavailable(f"there are no {noun}")


def _indexed(folder: Folder, name: str, form: Form) -> Weights:
    """The weights that an index lists; raises `Unavailable` if it names no shards."""
    entries = folder.document(name).get("weight_map")
    promised = dict(_promised(entries))
    if not promised:
        raise Unavailable(f"{name} names no shards (weight_map)")
    place = Place(folder.file(name), pointer("weight_map"))
    return _read_shards(folder, form, promised, tuple(sorted(set(promised.values()))), place)


def _promised(entries: Json) -> Iterator[tuple[str, str]]:
    if isinstance(entries, dict):
        for tensor, shard in entries.items():
            if isinstance(shard, str):
                yield tensor, shard


def _read_shards(
    folder: Folder, form: Form, promised: Mapping[str, str], shards: tuple[str, ...],
    index: Place | None,
) -> Weights:  # fmt: skip
    outside = {shard: reason for shard in shards if (reason := outside_reason(shard))}
    inside = [shard for shard in shards if shard not in outside]
    missing = tuple(shard for shard in inside if not _exists(folder, shard))
    tensors: dict[str, Stored] = {}
    damaged: list[Damaged] = []
    for shard in (shard for shard in inside if shard not in missing):
        try:
            tensors.update(_stored(folder, shard, form))
        except Damaged as harm:
            damaged.append(harm)
    unread = {*missing, *outside, *(harm.path.name for harm in damaged)}
    absent = {
        name: shard
        for name, shard in promised.items()
        if form == "safetensors" and shard not in unread and name not in tensors
    }
    return Weights(form, shards, index, missing, outside, tuple(damaged), tensors, absent)


def _stored(folder: Folder, shard: str, form: Form) -> Mapping[str, Stored]:
    """The tensors of a shard; none for a pickled one."""
    file = folder.file(shard)
    if form == "pickled":
        safetensors.check_present(file)
        return {}
    tensors = safetensors.read_header(file).tensors
    return {name: Stored(tensor.dtype, tensor.shape, shard) for name, tensor in tensors.items()}


def _exists(folder: Folder, shard: str) -> bool:
    """Whether a file of that name exists, including one that cannot be opened."""
    try:
        return folder.has(shard) or folder.file(shard).is_dir()
    except Unavailable:
        return True


def outside_reason(shard: str) -> str:
    """Why a shard's name points outside its folder; "" if it does not.

    A link inside the folder is accepted: the Hub's cache consists of links.
    """
    if PurePosixPath(shard).is_absolute() or PureWindowsPath(shard).drive:
        return "is an absolute path"
    if ".." in PureWindowsPath(shard).parts:
        return "leads out of the folder"
    if "/" in shard or "\\" in shard:
        return "leads into another folder"
    if not shard or "\0" in shard:
        return "is no file name"
    return ""
