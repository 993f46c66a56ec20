"""The Services of a file of Kubernetes: which ports they open."""

from __future__ import annotations

from msgspec import Struct

from trl_doctor.core.finding import Place
from trl_doctor.facts.launch.launch_line import place_on_line
from trl_doctor.files import document
from trl_doctor.files.document import Document
from trl_doctor.files.launch.forms import KUBERNETES_FILE
from trl_doctor.files.launch.pods import files_of, mappings
from trl_doctor.files.target import Target


class Service(Struct, frozen=True):
    """A Service with the ports that it opens, and the place of the first one."""

    name: str
    ports: tuple[int, ...]
    place: Place


def service_of(target: Target, host: str) -> Service | None:
    """The Service that has a host's name, if it opens ports of its own and the file has one such.

    A headless Service leads to the pods themselves, whose ports are all open.
    """
    if target.launched_by is None or KUBERNETES_FILE not in target.taken_for:
        return None
    try:
        files = files_of(target.launched_by)
    except document.Unreadable:
        return None
    own = [
        file
        for file in files
        if file.get("kind") == "Service" and file.get("metadata", "name") == host.partition(".")[0]
    ]
    return _opened(target, own[0]) if len(own) == 1 else None


def _opened(target: Target, file: Document) -> Service | None:
    if file.get("spec", "clusterIP") == "None" or file.get("spec", "externalName"):
        return None
    ports = [item.get("port") for item in mappings(file.get("spec", "ports"))]
    numbers = tuple(port for port in ports if isinstance(port, int))
    if not numbers or len(numbers) < len(ports):
        return None
    name = str(file.get("metadata", "name"))
    at = file.position("/spec/ports/0/port")
    return Service(name, numbers, place_on_line(target, at.line, at.column))
