"""Files of rows that a pod of Kubernetes does not have where the script reads them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from msgspec import Struct

from trl_doctor.core.finding import Json, Place, pointer
from trl_doctor.core.similar import similar
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.launch_line import own_text
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.launch.forms import KUBERNETES_FILE
from trl_doctor.files.launch.pods import files_of, mappings, pods
from trl_doctor.files.regular import text_of

SHARED_MEMORY = "/dev/shm"
FILE = re.compile(r"/[\w./-]+\.\w+")


class Unmounted(Struct, frozen=True):
    """A file that the script reads, and where the pod has something else."""

    name: str
    place: Place
    why: str


def unmounted_rows(facts: Facts) -> tuple[Unmounted, ...]:
    """Raises `NotConcerned` where no pod reads files of rows by a full path."""
    target, run = facts.run.target, facts.run
    launcher, launch = target.launched_by, target.launch
    if launcher is None or launch is None or KUBERNETES_FILE not in target.taken_for:
        raise NotConcerned("no pod starts this run")
    if run.script.passed is None:
        raise NotConcerned("no script reads the rows")
    named = [(one.name, one.place) for one in run.script.row_files if one.name.startswith("/")]
    if not named:
        raise NotConcerned("the script reads no file of rows by its full path")
    try:
        found = _container(launcher, launch.line)
    except document.Unreadable as reason:
        raise Unavailable(str(reason)) from None
    if found is None:
        return ()
    pod, container = found
    mounts = dict(_mounts(container))
    return tuple(
        Unmounted(name, place, why)
        for name, place in dict(named).items()
        if (why := _near_mount(facts, name, mounts) or _filled_elsewhere(name, pod, mounts))
    )


def _container(path: Path, line: int) -> tuple[Mapping[str, Json], Mapping[str, Json]] | None:
    """The pod and the container whose command is at a line."""
    best, at = None, 0
    for file in files_of(path):
        for first, pod, container in _containers(file):
            if at < first <= line:
                best, at = (pod, container), first
    return best


def _containers(
    file: Document,
) -> Iterator[tuple[int, Mapping[str, Json], Mapping[str, Json]]]:
    for keys, pod in pods(file.value):
        listed = pod["containers"]
        for number, item in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(item, dict):
                where = pointer(*keys, "containers", number)
                yield file.position(where).line, pod, item


def _mounts(container: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    for item in mappings(container.get("volumeMounts")):
        path = item.get("mountPath")
        if isinstance(path, str) and path != SHARED_MEMORY:
            yield path.rstrip("/"), str(item.get("name"))


def _near_mount(facts: Facts, name: str, mounts: Mapping[str, str]) -> str:
    """The volume that is probably meant, of a path that is in none; "" if the image may have it."""
    above = [str(path) for path in PurePosixPath(name).parents if len(path.parts) > 1]
    if not above or any(folder in mounts for folder in above) or "/" in mounts:
        return ""
    top = above[-2] if len(above) > 1 and above[-1] in ("/mnt", "/data", "/home") else above[-1]
    same = [path for path in mounts if posixpath.dirname(path) == posixpath.dirname(top)]
    near = similar(posixpath.basename(top), [posixpath.basename(path) for path in same])
    text = own_text(facts.run.target) or ""
    if not near or top in _others(facts) or re.search(rf"{re.escape(top)}(?![\w-])", text):
        return ""
    there = posixpath.join(posixpath.dirname(top), near[0])
    return f"no volume is mounted at {top}; one is at {there}"


def _others(facts: Facts) -> str:
    """The Dockerfiles beside the launch file, which may put files there."""
    launcher = facts.run.target.launched_by
    texts = []
    for path in sorted(launcher.parent.glob("*ockerfile*"))[:5] if launcher else ():
        try:
            texts.append(text_of(path, "replace"))
        except OSError:
            continue
    return "\n".join(texts)


def _filled_elsewhere(name: str, pod: Mapping[str, Json], mounts: Mapping[str, str]) -> str:
    """What fills the empty volume that has a file, at another path of it; "" if nothing does."""
    empty = {item.get("name") for item in mappings(pod.get("volumes")) if "emptyDir" in item}
    around = [path for path in mounts if name.startswith(f"{path}/")]
    folder = max(around, key=len, default="")
    first = list(mappings(pod.get("initContainers")))
    others = [one for one in mappings(pod.get("containers")) if one.get("volumeMounts")]
    if not folder or mounts[folder] not in empty or not first or len(others) != 1:
        return ""
    given: list[Json] = [one.get(key) for one in first for key in ("command", "args")]
    text = " ".join(str(value) for value in given)
    own = posixpath.basename(name)
    written = [path for path in FILE.findall(text) if path.startswith(f"{folder}/")]
    wrong = [path for path in written if posixpath.basename(path) == own]
    if len(wrong) != 1 or wrong[0] == name or posixpath.dirname(name) + " " in f"{text} ":
        return ""
    return f"{folder} is empty at first, and an init container writes {wrong[0]}"
