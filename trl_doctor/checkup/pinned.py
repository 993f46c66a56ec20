"""The environment of a script or notebook that asks for versions itself."""

from __future__ import annotations

from collections.abc import Mapping
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
    """The environment with the script's own versions, if these are believed, and a note about them.

    Where the user names the environment, the note says which versions of the script differ.
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
    pinned = {
        pin: version
        for pin in pins(script, data)
        if pin.package in PACKAGES and (version := _version(pin))
    }
    new = {
        pin: version
        for pin, version in pinned.items()
        if believes_pins and pin.package not in environment.stated
    }
    notes = [_differing(environment, {pin: of for pin, of in pinned.items() if pin not in new})]
    if new:
        versions = ", ".join(f"{pin.package} {of} ({pin.where})" for pin, of in new.items())
        notes.insert(0, f"versions that it installs itself: {versions}; others: --with or --python")
        stated = {**environment.stated, **{pin.package: of for pin, of in new.items()}}
        environment = replace(environment, stated=stated)
    return environment, "; ".join(filter(None, notes))


def _differing(environment: Environment, pinned: Mapping[Pin, Version]) -> str:
    """A note about the versions that the script installs where the environment has others."""
    others = [
        f"{pin.package} {version} ({pin.where})"
        for pin, version in pinned.items()
        if environment.version(pin.package) not in (None, version)
    ]
    named = ", ".join(others)
    return f"it installs other versions itself: {named}; they are not examined" if others else ""


def _version(pin: Pin) -> Version | None:
    try:
        return Version(pin.version)
    except InvalidVersion:
        return None
