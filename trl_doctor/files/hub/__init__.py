"""Models named by their id on the Hugging Face Hub, as folders on disk: weights are never fetched.

If the local Hub cache has all files, they are used and nothing is requested. Otherwise the small
files and the headers of the weights are downloaded into trl-doctor's own cache (`hub/store.py`
describes such a folder, and how the files that are not in it are listed).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.files.hub import cache as hub_cache

if TYPE_CHECKING:
    from trl_doctor.files.hub.fetch import HubLimits
    from trl_doctor.files.hub.store import Listing

NAME = r"(?a)\w([\w.-]{0,94}\w)?(/\w([\w.-]{0,94}\w)?)?"
REVISION = r"(?![-./])[^\x00-\x20\x7f~^:?*\[\\]{1,200}(?<![./])"
FILES = (".json", ".jsonl", ".yaml", ".yml", ".toml", ".py", ".sh")
"""Ends of names that are files of a run, though the Hub would allow such a repository."""

NOW, BEFORE = "fetched now, without the weights", "fetched before, without the weights"


class HubId(Struct, frozen=True):
    """A model repository, and a branch, tag or commit of it (None is `main`)."""

    repo: str
    revision: str | None = None

    def __str__(self) -> str:
        return f"{self.repo}@{self.revision}" if self.revision else self.repo


class Snapshot(Struct, frozen=True):
    """A Hub model's files at one commit; `label` is `org/name@<commit>`, for reports.

    `source` is "cache" (the local Hub cache, shared: never write there) or "fetched" (the own
    cache of trl-doctor: its weights are hollow, see `hub/store.py`). If `complete` is false, a
    file that is absent can be in the repository. `note` says where the files came from
    and which are missing, as a clause; `lacks` names the first file that the local cache lacks.
    """

    path: Path
    label: str
    complete: bool
    source: Literal["cache", "fetched"]
    note: str
    lacks: str = ""

    @property
    def lacks_more_than_weights(self) -> bool:
        """Whether files that are not there would change what the others mean."""
        return bool(self.lacks) and not (
            self.lacks == "the weights" or self.lacks.endswith((".safetensors", ".bin"))
        )


def looks_like_hub_id(text: str) -> bool:
    """Whether this can only mean a model on the Hub: `org/name`, `gpt2`, `org/name@revision`.

    Never what exists as a local path, is written like a path or ends like a run file.
    """
    repo, at, revision = text.partition("@")
    if repo.endswith(FILES) or not _is_repo(repo) or (at and not _is_revision(revision)):
        return False
    return not os.path.lexists(text)


def parse(text: str) -> HubId:
    """The repository and the revision in `org/name@revision`; `Unavailable` if it is no id."""
    repo, at, revision = text.partition("@")
    hub_id = HubId(repo, revision if at else None)
    _refuse_invalid(hub_id)
    return hub_id


def resolve(hub_id: HubId, *, offline: bool, limits: HubLimits | None = None) -> Snapshot:
    """A folder with the model's small files and the headers of its weights.

    The local Hub cache is read first. Nothing is requested from the Hub if the cache is complete,
    if `offline` is true, or if HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set. `limits` are
    15 s without an answer, 60 s in all. Raises `Unavailable`.
    """
    _refuse_invalid(hub_id)
    revision = hub_id.revision or "main"
    local = hub_cache.find(hub_id.repo, revision)
    if local and not local.missing:
        return Snapshot(local.path, _label(hub_id, local.commit), True, "cache", "local Hub cache")
    from trl_doctor.files.hub import store as hub_store

    earlier = hub_store.stored_copy(hub_id.repo, revision)
    if earlier and re.fullmatch(hub_cache.COMMIT, revision):
        return _fetched(hub_id, *earlier, BEFORE)
    silence, trouble = _silence(offline), None
    if not silence:
        from trl_doctor.files.hub import fetch as hub_fetch

        try:
            copy = hub_fetch.fetch(hub_id.repo, revision, limits or hub_fetch.HubLimits())
            return _fetched(hub_id, copy.path, copy.listing, NOW if copy.new else BEFORE)
        except hub_fetch.Unreachable as reason:
            silence, trouble = str(reason), reason
    if earlier:
        return _fetched(hub_id, *earlier, f"{BEFORE}; {silence}")
    if local:
        note = f"local Hub cache, without {local.missing}; {silence}"
        label = _label(hub_id, local.commit)
        return Snapshot(local.path, label, False, "cache", note, local.missing)
    raise trouble or _not_here(hub_id, silence)


def _fetched(hub_id: HubId, path: Path, listing: Listing, note: str) -> Snapshot:
    from trl_doctor.files.hub.store import left_out

    too_large = left_out(listing)
    if too_large:
        note += f"; too large to fetch: {', '.join(too_large[:3])}"
    return Snapshot(path, _label(hub_id, listing.commit), not too_large, "fetched", note)


def _label(hub_id: HubId, commit: str) -> str:
    return f"{hub_id.repo}@{commit[:12]}"


def _silence(offline: bool) -> str:
    """Why nothing may be requested, or ""; the variables work as in huggingface_hub."""
    if offline:
        return "--offline was given"
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        if setting := os.getenv(name):
            return f"{name} is set" if setting.upper() in ("1", "ON", "YES", "TRUE") else ""
    return ""


FOLDERS = frozenset(
    {"adapters", "checkpoint", "checkpoints", "ckpt", "ckpts", "exp", "experiments", "logs",
     "model", "models", "model_hub", "out", "output", "outputs", "results", "runs", "saved_model",
     "saved_models", "trained_models", "weights"}
)  # fmt: skip
"""What folders for models are called: `models/Qwen` is rather one of these than an id."""


def _not_here(hub_id: HubId, silence: str) -> Unavailable:
    if hub_id.repo.partition("/")[0].lower() in FOLDERS and "/" in hub_id.repo:
        return Unavailable(
            f"there is no folder {hub_id}, and the Hub was not asked for a model of that name: "
            f"{silence}"
        )
    revision = f" --revision {hub_id.revision}" if hub_id.revision else ""
    command = f"`hf download {hub_id.repo}{revision} --include '*.json'`"
    return Unavailable(f"{hub_id} is not in the local cache and {silence}: run {command}")


def _is_repo(text: str) -> bool:
    """As huggingface_hub validates it: `name` or `org/name`, 1 to 96 characters each."""
    banned = "--" in text or ".." in text or text.endswith(".git")
    return bool(re.fullmatch(NAME, text)) and not banned


def _is_revision(text: str) -> bool:
    return bool(re.fullmatch(REVISION, text)) and ".." not in text and "//" not in text


def _refuse_invalid(hub_id: HubId) -> None:
    if not _is_repo(hub_id.repo):
        raise Unavailable(f"{hub_id.repo[:200]!r} is not the name of a model on the Hub (org/name)")
    if hub_id.revision is not None and not _is_revision(hub_id.revision):
        raise Unavailable(
            f"{hub_id.revision[:200]!r} is not the name of a revision of {hub_id.repo}"
        )
