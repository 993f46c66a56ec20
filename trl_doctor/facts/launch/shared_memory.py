"""The shared memory of the container in which several processes start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from trl_doctor.core.finding import Json, Place
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts.facts import Facts
from trl_doctor.facts.launch.container import SHARED, without_shared_memory
from trl_doctor.facts.launch.launch_line import place_of_line
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.launch.forms import COMPOSE, KUBERNETES_FILE
from trl_doctor.files.launch.pods import files_of, mappings, pods

LARGER = ("ipc", "shm_size", "tmpfs", "extends")
"""Keys of a service of Compose that change its shared memory, or may."""

VOLUME = "mount a volume with emptyDir: {medium: Memory} at /dev/shm"


class LittleMemory(Struct, frozen=True):
    """A container with several processes and little shared memory."""

    processes: int
    place: Place
    remedy: str


def little_shared_memory(facts: Facts) -> LittleMemory | None:
    """Raises `NotConcerned` where no container starts, or one process in it."""
    target = facts.run.target
    launch, launcher = target.launch, target.launched_by
    if launch is None or launcher is None:
        raise NotConcerned("no launch file starts this run")
    stated = None if facts.run.processes_assumed else facts.run.processes
    per_node = (launch.processes or stated or 1) // (launch.cluster.nodes or 1)
    if per_node < 2:
        return None
    if not target.taken_for.startswith((KUBERNETES_FILE, COMPOSE)):
        lack = facts[without_shared_memory]
        remedy = f"write docker run {lack.option}" if lack else ""
        return LittleMemory(per_node, lack.place, remedy) if lack else None
    try:
        files = files_of(launcher)
    except document.Unreadable as problem:
        raise Unavailable("the file has a template") from problem
    of_compose = target.taken_for.startswith(COMPOSE)
    found = [each for file in files for each in (_services if of_compose else _containers)(file)]
    if len(found) != 1 or _may_have_more(*found[0]):
        return None  # of several it is not known which one trains
    place = place_of_line(target)
    return LittleMemory(per_node, place, "write ipc: host" if of_compose else VOLUME)


Container = tuple[Mapping[str, Json], Mapping[str, Json]]
"""A container and what it shares memory with: its pod, or itself."""


def _services(file: Document) -> Iterator[Container]:
    services = file.get("services")
    for service in services.values() if isinstance(services, dict) else ():
        if isinstance(service, dict):
            yield service, service


def _containers(file: Document) -> Iterator[Container]:
    for _, pod in pods(file.value):
        yield from ((container, pod) for container in mappings(pod["containers"]))


def _may_have_more(container: Mapping[str, Json], pod: Mapping[str, Json]) -> bool:
    """Whether something gives it more shared memory, or may."""
    if pod.get("hostIPC") is True or any(key in container for key in LARGER):
        return True
    mounts = [container.get("volumeMounts"), container.get("volumes") if container is pod else None]
    return any(SHARED in str(mount) for mount in mounts)
