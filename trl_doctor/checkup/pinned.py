"""The environment of a script or notebook that asks for versions itself."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace
from packaging.version import InvalidVersion, Version

from trl_doctor.files import document
from trl_doctor.files.source.notebooks.pins import Pin, installs, pins
from trl_doctor.machine.environment import PACKAGES, Environment


def with_own(
    environment: Environment, script: Path, *, believes_pins: bool
) -> tuple[Environment, str]:
    """The environment with the script's own versions, and the notes about them.

    That is with the script's own versions, if none is stated and they are believed.
    """
    try:
        data = document.read_bytes(script)
        return _with_own(environment, script, data, believes_pins=believes_pins)
    except document.Unreadable:
        return environment, ""


@lru_cache(maxsize=16)
def _with_own(
    environment: Environment, script: Path, data: bytes, *, believes_pins: bool
) -> tuple[Environment, str]:
    # one object a script: what is read in an environment, the script too, is kept by the object
    if own := installs(script, data):
        environment = replace(environment, own=own)
    pinned = pins(script, data) if believes_pins else []
    new = {
        pin: version
        for pin in pinned
        if pin.package in PACKAGES and pin.package not in environment.stated
        if (version := _version(pin))
    }
    if not new:
        return environment, ""
    versions = ", ".join(f"{pin.package} {version} ({pin.where})" for pin, version in new.items())
    stated = {**environment.stated, **{pin.package: version for pin, version in new.items()}}
    note = f"versions that it installs itself: {versions}; others: --with or --python"
    return replace(environment, stated=stated), note


def _version(pin: Pin) -> Version | None:
    try:
        return Version(pin.version)
    except InvalidVersion:
        return None
