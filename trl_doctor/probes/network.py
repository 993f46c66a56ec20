"""Keeps a probe off the network: whatever would leave this machine raises."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

from .audit import watch

CONNECTING = ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.getnameinfo")
LOOKING_UP = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
HERE = ("localhost", "", None)

_tried: list[str] = []


class NetworkRefused(OSError):
    """Somebody tried to leave this machine."""


def close() -> None:
    """From now on only this machine can be reached from this process's Python, and its forks'."""
    watch((*CONNECTING, *LOOKING_UP), _refuse_others)


def tried() -> int:
    """How often this process has asked for a machine, also for this one."""
    return len(_tried)


def _refuse_others(event: str, arguments: tuple[Any, ...]) -> None:
    if event in CONNECTING:
        address = arguments[0] if event == "socket.getnameinfo" else arguments[1]
        if not isinstance(address, tuple):
            return
        _tried.append(event)
        if not _is_here(address[0]):
            raise NetworkRefused(f"a probe may not reach {address[0]}")
        return
    _tried.append(event)
    if not _is_here(arguments[0]):
        raise NetworkRefused(f"a probe may not look up {arguments[0]}")


def _is_here(host: Any) -> bool:
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in HERE:
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return bool(host == socket.gethostname())
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified
