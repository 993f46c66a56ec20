"""The containers of the pods in a file of Kubernetes, and the folders that outlive them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from msgspec import Struct

from trl_doctor.core.finding import Json, pointer
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.launch.in_yaml import Route, documents

FLEETING = ("emptyDir", "configMap", "secret", "downwardAPI", "projected", "ephemeral", "image")
"""Kinds of volumes that are gone with their pod, or cannot be written to."""


class Mounted(Struct, frozen=True):
    """A folder of a container that is a volume; `kept` says that its files outlive the pod.

    `closed` says that nothing can be written to it.
    """

    path: str
    kept: bool
    shared: bool = False
    closed: bool = False


class PodContainer(Struct, frozen=True):
    """A container of a pod, from the line `first` of the file on.

    `folder` is the one that it starts in, "" for that of its image. A `shared` volume is also in
    another container of the pod, which may copy the files elsewhere.
    """

    first: int
    folder: str
    mounts: tuple[Mounted, ...]

    def keeps(self, path: str) -> bool | None:
        """Whether a file outlives the pod; None if that is not known."""
        if not path.startswith("/"):
            if not self.folder:
                return None if any(mount.kept or mount.shared for mount in self.mounts) else False
            path = posixpath.join(self.folder, path)
        path = posixpath.normpath(path)
        above = (PurePosixPath(path), *PurePosixPath(path).parents)
        around = [mount for mount in self.mounts if PurePosixPath(mount.path) in above]
        deepest = max(around, key=lambda mount: len(PurePosixPath(mount.path).parts), default=None)
        if deepest is None:
            return False
        return deepest.kept or (None if deepest.shared else False)


def files_of(path: Path) -> list[Document]:
    """The documents of a file. Raises `document.Unreadable`, also for a template."""
    data = document.read_bytes(path)
    if b"{{" in data:
        raise document.Unreadable(path, "invalid", "has a template")
    return [document.parse(path, part) for part in documents(data)]


def pods(value: Json, keys: Route = ()) -> Iterator[tuple[Route, Mapping[str, Json]]]:
    """The pods at or below a value, which are the mappings with containers, and their routes."""
    if isinstance(value, list):
        for number, inner in enumerate(value):
            yield from pods(inner, (*keys, number))
    if isinstance(value, dict):
        if isinstance(value.get("containers"), list):
            yield keys, value
        for name, inner in value.items():
            yield from pods(inner, (*keys, name))


def container_of(path: Path, line: int) -> PodContainer | None:
    """The container whose command is at a line; None if none is. Raises as `files_of` does."""
    found = [container for file in files_of(path) for container in _containers(file)]
    above = [container for container in found if container.first <= line]
    return max(above, key=lambda container: container.first, default=None)


def cluster_of(path: Path) -> list[PodContainer]:
    """The containers of the only RayJob of a file, whose cluster ends with it; else none.

    Raises as `files_of` does.
    """
    files = files_of(path)
    jobs = [file for file in files if file.get("kind") == "RayJob"]
    ends = len(jobs) == 1 and jobs[0].get("spec", "shutdownAfterJobFinishes") is True
    return list(_containers(jobs[0])) if ends else []


def _containers(file: Document) -> Iterator[PodContainer]:
    for keys, pod in pods(file.value):
        listed = pod["containers"]
        kept = {str(name): stays for name, stays in _volumes(pod)}
        closed = {str(item.get("name")) for item in mappings(pod.get("volumes")) if _closed(item)}
        for number, item in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(item, dict):
                line = file.position(pointer(*keys, "containers", number)).line
                others = (each for each in mappings(listed) if each is not item)
                shared = {name for other in others for name in _names(other)}
                folder = item.get("workingDir")
                mounts = tuple(_mounts(item, kept, shared, closed))
                yield PodContainer(line, folder if isinstance(folder, str) else "", mounts)


def _volumes(pod: Mapping[str, Json]) -> Iterator[tuple[Json, bool]]:
    """The names of the volumes of a pod, each with whether it outlives the pod."""
    for item in mappings(pod.get("volumes")):
        yield item.get("name"), not any(kind in item for kind in FLEETING)


def _names(container: Mapping[str, Json]) -> Iterator[str]:
    for item in mappings(container.get("volumeMounts")):
        yield str(item.get("name"))


def _mounts(
    container: Mapping[str, Json], kept: Mapping[str, bool], others: set[str], closed: set[str]
) -> Iterator[Mounted]:
    """What is mounted; a volume that the file does not describe may outlive the pod."""
    for item in mappings(container.get("volumeMounts")):
        path = item.get("mountPath")
        if isinstance(path, str):
            name = str(item.get("name"))
            unwritten = item.get("readOnly") is True or name in closed
            stays = kept.get(name, True) and item.get("readOnly") is not True
            yield Mounted(path, stays, name in others, unwritten)


def _closed(volume: Mapping[str, Json]) -> bool:
    """Whether nothing can be written to a volume."""
    claim = volume.get("persistentVolumeClaim")
    mapped = "configMap" in volume or "secret" in volume
    return mapped or (isinstance(claim, dict) and claim.get("readOnly") is True)


def mappings(value: Json) -> Iterator[Mapping[str, Json]]:
    """The mappings in a list."""
    return (
        (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())
    )
