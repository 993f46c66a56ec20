"""The shared memory of the container in which several processes start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from trl_doctor.core.finding import Json, Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.container import SHARED, without_shared_memory
from trl_doctor.facts.launch.launch_line import place_on_line
from trl_doctor.files import document
from trl_doctor.files.launch.forms import COMPOSE, KUBERNETES_FILE
from trl_doctor.files.launch.in_yaml import documents
from trl_doctor.files.regular import bytes_of

LARGER = ("ipc", "shm_size", "tmpfs", "extends")
"""Keys of a service of Compose that change its shared memory, or may."""

VOLUME = "mount a volume with emptyDir: {medium: Memory} at /dev/shm"


class Small(Struct, frozen=True):
    """A container with several processes and little shared memory."""

    processes: int
    place: Place
    remedy: str


def small(facts: Facts) -> Small | None:
    """Raises `NotConcerned` where no container starts, or one process in it."""
    target = facts.run.target
    launch, launcher = target.launch, target.launched_by
    stated = None if facts.run.processes_assumed else facts.run.processes
    processes = launch.processes or stated if launch else None
    if launch is None or launcher is None:
        raise NotConcerned("no launch file starts this run")
    per_node = (processes or 1) // (launch.cluster.nodes or 1)
    if not target.taken_for.startswith((KUBERNETES_FILE, COMPOSE)):
        lack = facts[without_shared_memory] if per_node > 1 else None
        return Small(per_node, lack.place, f"write docker run {lack.option}") if lack else None
    if per_node < 2 and (launch.cluster.gpus_per_node or 1) < 2:
        return None
    try:
        data = bytes_of(launcher)
        files = [document.parse(launcher, part) for part in documents(data)]
    except (OSError, document.Unreadable) as problem:
        raise Unavailable("the file has a template") from problem
    if b"{{" in data:
        raise Unavailable("the file has a template")
    place = place_on_line(target, launch.line, launch.column)
    of_compose = target.taken_for.startswith(COMPOSE)
    whole = [container for file in files for container in _containers(file.value, of_compose)]
    if len(whole) != 1 or _is_large(*whole[0]) or per_node < 2:
        return None  # of several it is not known which one trains
    return Small(per_node, place, "write ipc: host" if of_compose else VOLUME)


Container = tuple[Mapping[str, Json], Mapping[str, Json]]


def _containers(value: Json, of_compose: bool) -> Iterator[Container]:
    """The containers of a file, each with its pod; those of Compose are their own."""
    if isinstance(value, list):
        for inner in value:
            yield from _containers(inner, of_compose)
    if not isinstance(value, dict):
        return
    key = "services" if of_compose else "containers"
    found = value.get(key)
    listed = list(found.values()) if isinstance(found, dict) else found
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict):
            yield item, item if of_compose else value
    for name, inner in value.items():
        if name != key:
            yield from _containers(inner, of_compose)


def _is_large(container: Mapping[str, Json], pod: Mapping[str, Json]) -> bool:
    """Whether something gives it more shared memory, or may."""
    if pod.get("hostIPC") is True or any(key in container for key in LARGER):
        return True
    mounts = [container.get("volumeMounts"), container.get("volumes") if container is pod else None]
    return any(SHARED in str(mount) for mount in mounts)
