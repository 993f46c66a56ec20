"""What the target's trl offers: names, and trainers with the modules that define them."""

from __future__ import annotations

from collections.abc import Mapping

from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library import exports, releases, sources, trl_sources
from trl_doctor.facts.library.classes import Damaged, Sources
from trl_doctor.machine.environment import Environment


def offers(environment: Environment, name: str) -> bool | None:
    """Whether the installed trl offers a name; None if its sources cannot be read."""
    try:
        package = sources(environment).module("trl")
    except (Damaged, Unavailable):
        return None
    return None if package is None else name in exports.names(package)


def trainer_exports(environment: Environment) -> Mapping[str, str]:
    """The trainers that the target's trl offers, with the module that defines each."""
    try:
        packages = trl_sources(environment)
        names = sorted(exports.exported(packages, "Trainer"))
        return {name: _home(packages, name) for name in names}
    except Unavailable:
        return _released(environment)


def trainer_home(environment: Environment, name: str) -> str | None:
    """The module that defines a trainer; None if the target's trl does not offer it."""
    try:
        packages = trl_sources(environment)
        return _home(packages, name) if name in exports.exported(packages, "Trainer") else None
    except Unavailable:
        return _released(environment).get(name)


def _home(packages: Sources, name: str) -> str:
    config = name.replace("Trainer", "Config")
    return exports.home(packages, config) or exports.home(packages, name) or "trl"


def _released(environment: Environment) -> Mapping[str, str]:
    return releases.trainers(environment.version("trl") or releases.newest_release())
