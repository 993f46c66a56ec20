"""The services of a Compose file: which of them starts a vLLM server, and with which GPUs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from trl_doctor.core.finding import Json, pointer
from trl_doctor.files import document

SERVES = "vllm-serve"


class Service(Struct, frozen=True):
    """A service with the place and the words of its command, and the GPUs that it names.

    `alone` says that it has a network of its own.
    """

    name: str
    line: int
    column: int
    words: tuple[str, ...]
    devices: frozenset[str]
    alone: bool


def services(path: Path) -> tuple[Service, ...]:
    """The services of a file; none if it cannot be read."""
    try:
        file = document.read(path)
    except document.Unreadable:
        return ()
    found = file.get("services")
    return tuple(_services(file, found)) if isinstance(found, dict) else ()


def service_at(path: Path, line: int) -> Service | None:
    """The service whose command is at a line."""
    above = [service for service in services(path) if service.line <= line]
    return max(above, key=lambda service: service.line, default=None)


def _services(file: document.Document, found: Mapping[str, Json]) -> Iterator[Service]:
    for name, value in found.items():
        command = value.get("command", value.get("entrypoint")) if isinstance(value, dict) else None
        if not isinstance(value, dict) or command is None:
            continue
        key = "command" if "command" in value else "entrypoint"
        at = file.position(pointer("services", name, key))
        words = _words(command)
        alone = "network_mode" not in value
        yield Service(name, at.line, at.column, words, frozenset(_devices(value)), alone)


def _words(command: Json) -> tuple[str, ...]:
    if isinstance(command, list):
        return tuple(map(str, command))
    try:
        return tuple(shlex.split(str(command)))
    except ValueError:
        return ()


def _devices(value: Mapping[str, Json]) -> Iterator[str]:
    """The GPUs of `deploy.resources.reservations.devices`."""
    inner: Json = dict(value)
    for key in ("deploy", "resources", "reservations", "devices"):
        inner = inner.get(key) if isinstance(inner, dict) else None
    for item in inner if isinstance(inner, list) else ():
        ids = item.get("device_ids") if isinstance(item, dict) else None
        yield from (str(one) for one in ids) if isinstance(ids, list) else ()
