"""Where a container of Kubernetes has the files of a ConfigMap."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from trl_doctor.core.finding import Json
from trl_doctor.facts.facts import Facts
from trl_doctor.files import document
from trl_doctor.files.launch.forms import KUBERNETES_FILE
from trl_doctor.files.launch.in_yaml import documents
from trl_doctor.files.regular import bytes_of


def mounted_elsewhere(facts: Facts, name: str) -> str:
    """The folder in which the container has such a file of a ConfigMap; "" if it is where it is.

    Only a file with one container and one ConfigMap that has the file is judged.
    """
    target = facts.run.target
    launcher = target.launched_by
    if launcher is None or KUBERNETES_FILE not in target.taken_for or not name.startswith("/"):
        return ""
    try:
        data = bytes_of(launcher)
        values = [] if b"{{" in data else [document.parse(launcher, p) for p in documents(data)]
    except (OSError, document.Unreadable):
        return ""
    files = [file.mapping() for file in values]
    own = posixpath.basename(name)
    maps = [_name(file) for file in files if file.get("kind") == "ConfigMap" and own in _data(file)]
    pods = [pod for file in files for pod in _pods(file)]
    containers = [one for pod in pods for one in _listed(pod.get("containers"))]
    if len(maps) != 1 or len(containers) != 1:
        return ""
    volumes = {str(one.get("name")) for pod in pods for one in _listed(pod.get("volumes"))
               if one.get("configMap") == {"name": maps[0]}}  # fmt: skip
    mounts = list(_listed(containers[0].get("volumeMounts")))
    folders = [str(one.get("mountPath")).rstrip("/") for one in mounts]
    there = [folder for folder, one in zip(folders, mounts, strict=True)
             if str(one.get("name")) in volumes and "subPath" not in one]  # fmt: skip
    covered = any(name == folder or name.startswith(f"{folder}/") for folder in folders)
    return there[0] if len(there) == 1 and not covered else ""


def _name(file: Mapping[str, Json]) -> str:
    metadata = file.get("metadata")
    return str(metadata.get("name")) if isinstance(metadata, dict) else ""


def _data(file: Mapping[str, Json]) -> Mapping[str, Json]:
    data = file.get("data")
    return data if isinstance(data, dict) else {}


def _listed(value: Json) -> Iterator[Mapping[str, Json]]:
    yield from (one for one in value if isinstance(one, dict)) if isinstance(value, list) else ()


def _pods(value: Json) -> Iterator[Mapping[str, Json]]:
    """The mappings at or below a value that have containers."""
    if isinstance(value, dict):
        if isinstance(value.get("containers"), list):
            yield value
        for inner in value.values():
            yield from _pods(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _pods(inner)
