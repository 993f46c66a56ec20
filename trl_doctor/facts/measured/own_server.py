"""The server that `trl vllm-serve` started before trl 1.11.0: whether one answers at an address."""

from __future__ import annotations

from msgspec import Struct
from packaging.version import Version

from trl_doctor.facts.measured.server import SECONDS, Silent, address_of, json_at

WORLD = Version("0.17.0")
"""The first trl whose client asks for the world size; the one before asks for a part of it."""


class OwnServer(Struct, frozen=True):
    """`unlike` is why it is none of trl's, "" if it is one; `plain` the version of vLLM's own."""

    address: str
    unlike: str = ""
    plain: str = ""


def own_server(url: str, trl: Version, timeout: float = SECONDS) -> OwnServer:
    """Ask what TRL's client asks first. Raises `Unavailable` if the address is not valid."""
    base = address_of(url)
    key = "world_size" if trl >= WORLD else "tensor_parallel_size"
    try:
        value = json_at(base, f"/get_{key}/", timeout).get(key)
    except Silent as reason:
        return OwnServer(base, str(reason), _version(base, timeout))
    return OwnServer(base, "" if isinstance(value, int) else f"/get_{key}/ does not return {key}")


def _version(base: str, timeout: float) -> str:
    """The version that a server of vLLM itself reports; "" if no such server answers."""
    try:
        version = json_at(base, "/version", timeout).get("version")
    except Silent:
        return ""
    return version[:40] if isinstance(version, str) else ""
