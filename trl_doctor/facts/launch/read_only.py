"""Folders of a container that nothing can be written to, and the cache of data sets in them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from msgspec import Struct

from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.launch import compose, pods
from trl_doctor.files.launch.containers import DOCKER
from trl_doctor.files.launch.forms import COMPOSE, KUBERNETES_FILE, PROGRAM
from trl_doctor.files.launch.launch import Launch
from trl_doctor.files.target import Target

OPTIONS = ("-v", "--volume", "-B", "--bind", "--container-mounts", "--mount")
CACHE = ".cache/huggingface"
"""The end of the folder that the Hub's libraries use by default."""

FAST = re.compile(r"[\"'](\w+)[\"']\s*:\s*(?:\w+\.)*TrainingInput\([^)]*FastFile")
INPUTS = "/opt/ml/input/data"
"""Channels of SageMaker whose files are read as they are needed, and where they are."""

ELSEWHERE = re.compile(r"HF_DATASETS_CACHE|HF_HOME|cache_dir|XDG_CACHE_HOME|keep_in_memory")
"""What a script has that may put the cache in another folder."""

NAMED = ("HF_DATASETS_CACHE", "HF_HOME", "XDG_CACHE_HOME")


class Closed(Struct, frozen=True):
    """The folder that `load_dataset` writes to, what names it, and the folder that is read-only."""

    cache: str
    named: str
    mount: str


def closed_cache(facts: Facts) -> Closed | None:
    """Raises `NotConcerned` where no launch file mounts a folder read-only."""
    target = facts.run.target
    launch = target.launch
    mounts = dict(_mounts(target, launch)) if launch else {}
    if launch is None or not any(mounts.values()):
        raise NotConcerned("the launch file mounts no folder read-only")
    if not _loads(facts):
        return None
    cache, named = _cache(launch, mounts)
    above = [
        folder
        for folder in mounts
        if PurePosixPath(folder) in (PurePosixPath(cache), *PurePosixPath(cache).parents)
    ]
    deepest = max(above, key=len, default="")
    return Closed(cache, named, deepest) if deepest and mounts[deepest] else None


def _loads(facts: Facts) -> bool:
    """Whether the run reads its rows with `load_dataset`, into the folder of the environment."""
    launch = facts.run.target.launch
    if launch is not None and launch.command:
        arguments = facts.run.arguments
        return bool(arguments.get("dataset_name") or arguments.get("datasets"))
    file = facts.run.file
    source = file.data.decode(errors="replace") if isinstance(file, Document) else ""
    return bool(re.search(r"^[^#\n]*\bload_dataset\(", source, re.MULTILINE)) and not (
        ELSEWHERE.search(source)
    )


def _cache(launch: Launch, mounts: Mapping[str, bool]) -> tuple[str, str]:
    """The folder of the cache and what names it; empty if it is not known."""
    given = {name: launch.variables.get(name, "") for name in NAMED}
    if given["HF_DATASETS_CACHE"]:
        return given["HF_DATASETS_CACHE"], "HF_DATASETS_CACHE"
    if given["HF_HOME"]:
        return posixpath.join(given["HF_HOME"], "datasets"), "HF_HOME"
    default = next((folder for folder in mounts if folder.endswith(f"/{CACHE}")), "")
    if given["XDG_CACHE_HOME"] or "HOME" in launch.variables or not default:
        return "", ""
    return f"{default}/datasets", "the default"


def _mounts(target: Target, launch: Launch) -> Iterator[tuple[str, bool]]:
    """The folders that are mounted, each with whether it is read-only."""
    launcher = target.launched_by
    yield from _of_words(launch)
    if launcher is None:
        return
    if target.taken_for.startswith(PROGRAM):
        for channel in FAST.findall(own_text(target) or ""):
            yield f"{INPUTS}/{channel}", True
    try:
        if target.taken_for.startswith(COMPOSE):
            service = compose.service_at(launcher, launch.line)
            file, name = document.read(launcher), service.name if service else ""
            yield from _of_service(file.get("services", name, "volumes"))
            fleeting = file.get("services", name, "tmpfs", default=[])
            for folder in fleeting if isinstance(fleeting, list) else [fleeting]:
                yield str(folder).partition(":")[0].rstrip("/"), False
        elif KUBERNETES_FILE in target.taken_for:
            container = pods.container_of(launcher, launch.line)
            for mount in container.mounts if container else ():
                yield mount.path.rstrip("/"), mount.closed
    except document.Unreadable:
        return


def _of_words(launch: Launch) -> Iterator[tuple[str, bool]]:
    words = (*launch.around, *launch.before)
    for at, word in enumerate(words):
        name, equals, value = word.inner.partition("=")
        if name not in OPTIONS:
            continue
        if not equals:
            value = "".join(each.inner for each in words[at + 1 : at + 2])
        if name == "--mount":
            keys = dict(part.partition("=")[::2] for part in value.split(","))
            inside = keys.get("target") or keys.get("dst") or keys.get("destination") or ""
            yield inside.rstrip("/"), bool({"readonly", "ro"} & set(keys))
            continue
        docker = any(PurePosixPath(each.text).name in DOCKER for each in words[:at])
        for part in [value] if docker else value.split(","):
            yield from _of_text(part)


def _of_text(text: str) -> Iterator[tuple[str, bool]]:
    """`/a:/b:ro`."""
    parts = text.strip("\"'").split(":")
    if len(parts) > 1 and parts[1].startswith("/"):
        yield parts[1].rstrip("/"), "ro" in ",".join(parts[2:]).split(",")


def _of_service(volumes: Json) -> Iterator[tuple[str, bool]]:
    for item in volumes if isinstance(volumes, list) else ():
        if isinstance(item, str):
            yield from _of_text(item)
        elif isinstance(item, dict) and isinstance(item.get("target"), str):
            yield str(item["target"]).rstrip("/"), item.get("read_only") is True
