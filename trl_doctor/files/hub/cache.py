"""Models that are already on this disk, in the cache that `hf download` and transformers fill."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from msgspec import Struct

from trl_doctor.files.regular import bytes_of

COMMIT = r"[0-9a-f]{40}"
PREFIX = r"[0-9a-f]{5,40}"
SHARD = r"-\d{5}-of-\d{5}\."

READ_WHOLE = (
    "*config*.json",
    "tokenizer*",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.*",
    "merges.txt",
    "chat_template*",
    "additional_chat_templates/*",
    "*.index.json",
    "spiece.model",
    "sentencepiece*.model",
    "*.tiktoken",
    "tekken.json",
    "params.json",
    "*.py",
)
"""The files that are examined, as patterns of paths in a repository; weights are not among them."""

READ_HEADER = ("*.safetensors",)
"""The files whose header alone is examined."""

TOKENIZER = ("tokenizer*", "vocab.*", "*.model", "*.tiktoken", "tekken.json")


class Cached(Struct, frozen=True):
    """A snapshot folder of the cache; `missing` names the first file that is not there, or ""."""

    path: Path
    commit: str
    missing: str


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a path in a repository matches a pattern; `*` never matches a slash."""
    return any(
        name.count("/") == pattern.count("/") and fnmatchcase(name, pattern) for pattern in patterns
    )


def cache_root() -> Path:
    """The cache folder that huggingface_hub would use, by the same variables in the same order."""
    user = Path(os.getenv("XDG_CACHE_HOME", "~/.cache"))
    home = expanded(os.getenv("HF_HOME", str(user / "huggingface")))
    root = os.getenv("HF_HUB_CACHE", os.getenv("HUGGINGFACE_HUB_CACHE", str(home / "hub")))
    return expanded(root)


def expanded(path: str) -> Path:
    """A path with ~ and $VARIABLE replaced; left as it is if there is no home."""
    return Path(os.path.expandvars(os.path.expanduser(path)))  # noqa: PTH111 (never raises)


def folder_name(repo: str) -> str:
    """The folder of a model repository in a cache: `models--org--name`."""
    return "models--" + repo.replace("/", "--")


def find(repo: str, revision: str) -> Cached | None:
    """The snapshot of a branch, tag, commit or the beginning of a commit; None if none is."""
    folder = cache_root() / folder_name(repo)
    commit = commit_of(folder / "refs" / revision, folder / "snapshots", revision)
    snapshot = folder / "snapshots" / commit
    if not commit or not _names(snapshot):
        return None
    return Cached(snapshot, commit, _missing(folder, commit))


def commit_of(ref: Path, snapshots: Path, revision: str) -> str:
    """The commit that a ref file names, or the only snapshot that starts with a revision, or ""."""
    try:
        commit = bytes_of(ref, 100).decode("ascii", "replace").strip()
        if re.fullmatch(COMMIT, commit):
            return commit
    except OSError:
        pass
    revision = revision.lower()
    if re.fullmatch(COMMIT, revision) or not re.fullmatch(PREFIX, revision):
        return revision if re.fullmatch(COMMIT, revision) else ""
    commits = [name for name in _names(snapshots) if re.fullmatch(COMMIT, name)]
    matches_ = [name for name in commits if name.startswith(revision)]
    return matches_[0] if len(matches_) == 1 else ""


def is_file(path: Path) -> bool:
    """Whether there is a file, links followed; False too where one may not look."""
    try:
        return path.is_file()
    except OSError:
        return False


def _names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []


def _missing(folder: Path, commit: str) -> str:
    snapshot = folder / "snapshots" / commit
    present = {name for name in _names(snapshot) if is_file(snapshot / name)}
    listed = _listed(folder / "trees" / f"{commit}.json")
    if listed is not None:
        for name in sorted(listed):
            if matches(name, READ_WHOLE) and not is_file(snapshot / name):
                return name
    elif not present & {"config.json", "adapter_config.json"}:
        return "config.json"
    elif not any(matches(name, TOKENIZER) for name in present) and not is_file(
        folder / ".no_exist" / commit / "tokenizer_config.json"
    ):
        return "the tokenizer"
    return _missing_weights(snapshot, present)


def _missing_weights(snapshot: Path, present: set[str]) -> str:
    for suffix, index in (
        (".safetensors", "model.safetensors.index.json"),
        (".bin", "pytorch_model.bin.index.json"),
    ):
        if index in present:
            return next((name for name in _shards(snapshot / index) if name not in present), "")
        weights = [name for name in present if name.endswith(suffix)]
        if weights:
            return index if all(re.search(SHARD, name) for name in weights) else ""
    return "the weights"


def _shards(index: Path) -> list[str]:
    """The files that an index names; none if it cannot be read (another rule reports that)."""
    return sorted({str(name) for name in _member(index, "weight_map").values()})


def _listed(tree: Path) -> set[str] | None:
    """The repository's files in the notes of huggingface_hub 2 for a full download, or None."""
    return set(_member(tree, "files")) or None


def _member(file: Path, key: str) -> dict[str, Any]:
    import msgspec

    try:
        members = msgspec.json.decode(bytes_of(file), type=dict[str, msgspec.Raw])
        return msgspec.json.decode(members.get(key, b"{}"), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}
