"""Keeps a probe off the network: whatever would leave this machine raises."""

from __future__ import annotations

import contextlib
import ipaddress
import sys
from collections.abc import Iterator
from typing import Any

CONNECTING = ("socket.connect", "socket.sendto", "socket.sendmsg")
LOOKING_UP = ("socket.getaddrinfo", "socket.gethostbyname")
HERE = ("localhost", "", None)

_state = {"closed": False, "hooked": False}


class NetworkRefused(OSError):
    """Somebody tried to leave this machine."""


@contextlib.contextmanager
def closed() -> Iterator[None]:
    """While this lasts, only this machine can be reached from Python."""
    if not _state["hooked"]:
        sys.addaudithook(_hook)
        _state["hooked"] = True
    _state["closed"] = True
    try:
        yield
    finally:
        _state["closed"] = False


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _state["closed"]:
        return
    if event in CONNECTING:
        address = arguments[1] if len(arguments) > 1 else None
        if isinstance(address, tuple) and not _is_here(address[0]):
            raise NetworkRefused(f"a probe may not reach {address[0]}")
    elif event in LOOKING_UP and not _is_here(arguments[0]):
        raise NetworkRefused(f"a probe may not look up {arguments[0]}")


def _is_here(host: Any) -> bool:
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in HERE:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        import socket

        return bool(host == socket.gethostname())
