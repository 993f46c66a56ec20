"""Where a container of Kubernetes has the files of a ConfigMap."""

from __future__ import annotations

import posixpath

from trl_doctor.facts.facts import Facts
from trl_doctor.files import document
from trl_doctor.files.launch.forms import KUBERNETES_FILE
from trl_doctor.files.launch.pods import files_of, mappings, pods


def mounted_elsewhere(facts: Facts, name: str) -> str:
    """The folder in which the container has such a file of a ConfigMap; "" if it is where it is.

    Only a file with one container and one ConfigMap that has the file is judged. The image may have
    a relative path itself, unless its folder has the name of the one that the ConfigMap is in.
    """
    target = facts.run.target
    if target.launched_by is None or KUBERNETES_FILE not in target.taken_for:
        return ""
    try:
        files = files_of(target.launched_by)
    except document.Unreadable:
        return ""
    own = posixpath.basename(name)
    maps = [
        file.get("metadata", "name")
        for file in files
        if file.get("kind") == "ConfigMap" and file.get("data", own) is not None
    ]
    own_pods = [pod for file in files for _, pod in pods(file.value)]
    containers = [container for pod in own_pods for container in mappings(pod["containers"])]
    folder = "" if name.startswith("/") else posixpath.basename(posixpath.dirname(name))
    if folder and target.launch:
        name = posixpath.normpath(posixpath.join(target.launch.folder, name))
    if len(maps) != 1 or len(containers) != 1 or not name.startswith("/"):
        return ""
    volumes = {
        volume.get("name")
        for pod in own_pods
        for volume in mappings(pod.get("volumes"))
        if volume.get("configMap") == {"name": maps[0]}
    }
    mounts = [
        (str(mount.get("mountPath")).rstrip("/"), mount)
        for mount in mappings(containers[0].get("volumeMounts"))
    ]
    there = [path for path, one in mounts if one.get("name") in volumes and "subPath" not in one]
    if any(name == mount or name.startswith(f"{mount}/") for mount, _ in mounts):
        return ""
    alike = not folder or posixpath.basename(there[0] if there else "") == folder
    return there[0] if len(there) == 1 and alike else ""
