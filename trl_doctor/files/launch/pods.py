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
    """A folder of a container that is a volume; `kept` says that its files outlive the pod."""

    path: str
    kept: bool
    shared: bool = False


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


def container_of(path: Path, data: bytes, line: int) -> PodContainer | None:
    """The container whose command is at a line; None if none is. Raises `document.Unreadable`."""
    files = [document.parse(path, part) for part in documents(data)]
    found = [container for file in files for container in _of_pods(file, file.value, ())]
    above = [container for container in found if container.first <= line]
    return max(above, key=lambda container: container.first, default=None)


def _of_pods(file: Document, value: Json, keys: Route) -> Iterator[PodContainer]:
    """The containers of each pod at or below a value."""
    if isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _of_pods(file, inner, (*keys, number))
    if not isinstance(value, dict):
        return
    containers = value.get("containers")
    if isinstance(containers, list):
        several = list(_mappings(containers))
        kept = {str(name): stays for name, stays in _volumes(value)}
        for number, item in enumerate(containers):
            if isinstance(item, dict):
                line = file.position(pointer(*keys, "containers", number)).line
                others = {name for other in several if other is not item for name in _names(other)}
                folder = item.get("workingDir")
                mounts = tuple(_mounts(item, kept, others))
                yield PodContainer(line, folder if isinstance(folder, str) else "", mounts)
    for name, inner in value.items():
        yield from _of_pods(file, inner, (*keys, name))


def _volumes(pod: Mapping[str, Json]) -> Iterator[tuple[Json, bool]]:
    """The names of the volumes of a pod, each with whether it outlives the pod."""
    for item in _mappings(pod.get("volumes")):
        yield item.get("name"), not any(kind in item for kind in FLEETING)


def _names(container: Mapping[str, Json]) -> Iterator[str]:
    for item in _mappings(container.get("volumeMounts")):
        yield str(item.get("name"))


def _mounts(
    container: Mapping[str, Json], kept: Mapping[str, bool], others: set[str]
) -> Iterator[Mounted]:
    """What is mounted; a volume that the file does not describe may outlive the pod."""
    for item in _mappings(container.get("volumeMounts")):
        path = item.get("mountPath")
        if isinstance(path, str):
            name = str(item.get("name"))
            stays = kept.get(name, True) and item.get("readOnly") is not True
            yield Mounted(path, stays, name in others)


def _mappings(value: Json) -> Iterator[Mapping[str, Json]]:
    """The mappings in a list."""
    return (
        (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())
    )
