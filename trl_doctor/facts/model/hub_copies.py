"""Models of the Hub: which names can be model ids, and which files of a copy are not local."""

from __future__ import annotations

from pathlib import Path

from trl_doctor.files.folder import Folder

__all__ = [
    "cache_root",
    "files_left_on_hub",
    "looks_like_hub_id",
    "may_be_incomplete",
    "to_download",
]


def cache_root() -> Path:
    """The folder of the Hub's cache."""
    from trl_doctor.files.hub import cache

    return cache.cache_root()


def looks_like_hub_id(name: str) -> bool:
    """Whether a name has the form `org/name` of a model on the Hub."""
    from trl_doctor.files import hub

    return hub.looks_like_hub_id(name)


def may_be_incomplete(folder: Folder) -> bool:
    """Whether files that are not in the folder can exist on the Hub: for a cache or a copy."""
    from trl_doctor.files.hub.store import read_listing

    return folder.partial or bool(read_listing(folder.path))


def files_left_on_hub(folder: Folder) -> bool:
    """Whether files that would be examined were not downloaded, or whether this is not known."""
    from trl_doctor.files.hub.store import left_out, read_listing

    listing = read_listing(folder.path)
    return folder.partial or bool(listing and left_out(listing))


def to_download(folder: Folder) -> int:
    """The bytes of weights that the run will download from the Hub; 0 if they are local."""
    from trl_doctor.files.hub.cache import matches
    from trl_doctor.files.hub.store import read_listing

    listing = read_listing(folder.path)
    files = listing.files if listing else {}
    for pattern in ("*.safetensors", "*.bin"):
        if sizes := [file.size for name, file in files.items() if matches(name, [pattern])]:
            return sum(sizes)
    return 0
