"""What the target's TRL accepts: read from its installed sources, else from the history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from packaging.version import Version

from trl_doctor.core.trainer import Trainer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts.library import command, exports, releases
from trl_doctor.facts.library.classes import Damaged, Definition, Field, Sources
from trl_doctor.machine.environment import Environment

Fields: TypeAlias = Mapping[str, Field]

PACKAGES = ("trl", "transformers", "accelerate")
TRAINING_ARGUMENTS = ("transformers", "TrainingArguments")
BESIDE = ("ScriptArguments", "ModelConfig")
"""What TRL's example scripts parse beside the config of a trainer that has no command."""

PARSER_KEYS = frozenset({"env"})
"""Keys that TRL's parser takes for itself: `env` sets environment variables."""


@dataclass(frozen=True)
class Accepted:
    """The keys that a run file of one trainer can have.

    `fields` are all of them, `config` those of the trainer's own config. `unknown` is what
    `trl … --config` does with any other key, None where there is no such command. `source`
    says where this was read ("installed trl 1.16.0"), `fallback` why not in installed sources.
    `absent` is set where the target's trl has no such trainer: the fields are then those of
    the last release that had it, and none where none did.
    """

    fields: Fields
    config: Fields
    unknown: command.Unknown | None
    source: str
    fallback: str = ""
    absent: str = ""


@lru_cache(maxsize=32)
def sources(environment: Environment) -> Sources:
    """The sources of trl, transformers and accelerate, as far as the target has them."""
    found = {name: environment.source(name) for name in PACKAGES}
    return Sources({name: folder for name, folder in found.items() if folder})


@lru_cache(maxsize=256)
def config_fields(environment: Environment, name: str) -> Fields | None:
    """The fields of a config class of the installed trl, its bases' included, by name.

    None where that trl has no such class. Raises `Unavailable` where it cannot be read.
    """
    known = _trl_sources(environment)
    module = exports.home(known, name)
    found = known.definition(module, name) if module else None
    return _fields(environment, found) if found else None


@lru_cache(maxsize=256)
def cli_fields(environment: Environment, trainer: Trainer) -> Accepted | None:
    """The keys that `trl NAME --config` of the installed trl takes; None without a command.

    Keys for `accelerate launch` are not among the fields (`launch_options`). Raises
    `Unavailable` where the sources cannot be read.
    """
    found = command.command(_trl_sources(environment), trainer.name)
    if found is None:
        return None
    parts = [_fields(environment, one) for one in found.classes]
    return _accepted(environment, trainer, parts, found.unknown)


def offers(environment: Environment, name: str) -> bool | None:
    """Whether the installed trl offers a name; None where its sources do not tell."""
    try:
        package = sources(environment).module("trl")
    except (Damaged, Unavailable):
        return None
    return None if package is None else name in exports.names(package)


def launch_options(environment: Environment) -> Mapping[str, bool]:
    """The keys that `accelerate launch` takes, and whether each takes a value.

    A key without a value cannot stand in a run file (`command.launch_options`).
    """
    try:
        found = command.launch_options(sources(environment))
    except Unavailable:
        found = dict(releases.launch_options())
    return {**found, "accelerate_config": True}


def trainer_exports(environment: Environment) -> Mapping[str, str]:
    """The trainers that the target's trl offers, with the module that each lives in."""
    try:
        known = _trl_sources(environment)
        names = sorted(exports.exported(known, "Trainer"))
        homes = {name: exports.home(known, name.replace("Trainer", "Config")) for name in names}
        return {name: home or exports.home(known, name) or "trl" for name, home in homes.items()}
    except Unavailable:
        version = environment.version("trl") or releases.newest_release()
        return releases.trainers(version)


@lru_cache(maxsize=256)
def accepted(environment: Environment, trainer: Trainer) -> Accepted:
    """What the target's trl accepts for a trainer, from the best source there is."""
    try:
        found = cli_fields(environment, trainer) or _without_command(environment, trainer)
    except Unavailable as reason:
        return _history(environment, trainer, str(reason))
    if found.config:
        return found
    version = environment.version("trl")
    absent = f"trl {version} has no {trainer.trainer}"
    return _past(environment, trainer, version or releases.newest_release(), absent)


def _without_command(environment: Environment, trainer: Trainer) -> Accepted:
    names = (BESIDE[0], trainer.config, BESIDE[1])
    parts = [config_fields(environment, name) or {} for name in names]
    return _accepted(environment, trainer, parts, None)


def _accepted(
    environment: Environment,
    trainer: Trainer,
    parts: Sequence[Fields],
    unknown: command.Unknown | None,
) -> Accepted:
    fields = {name: one for part in parts for name, one in part.items() if one.init}
    config = config_fields(environment, trainer.config) or {}
    version = environment.version("trl") or "of unknown version"
    return Accepted(fields, config, unknown, f"installed trl {version}")


def _fields(environment: Environment, found: Definition) -> Fields:
    known = sources(environment)
    own = known.fields(found)
    if TRAINING_ARGUMENTS in known.outside(found):
        return {**_training_arguments(environment.version("transformers")), **own}
    return own


def _trl_sources(environment: Environment) -> Sources:
    known = sources(environment)
    if "trl" in known.packages:
        if known.module("trl") is None:
            raise Damaged(f"{known.packages['trl']} has no __init__.py")
        return known
    stated, there = environment.version("trl"), environment.installed_version("trl")
    if stated and there:
        raise Unavailable(f"trl {stated} was given with --with, trl {there} is installed")
    raise Unavailable("trl is not installed here" if not there else "trl's sources are missing")


def _history(environment: Environment, trainer: Trainer, reason: str) -> Accepted:
    version = environment.version("trl")
    if version is None:
        found = _past(environment, trainer, releases.newest_release(), "")
        source = (
            f"{found.source} (the newest known release: no trl is installed or given with --with)"
        )
        return replace(found, source=source, fallback=reason, absent="")
    if releases.nearest("trl", version) is None:
        return Accepted(
            {}, {}, None, f"none: trl {version} is older than the known releases", reason
        )
    absent = f"trl {version} has no {trainer.trainer}"
    return replace(_past(environment, trainer, version, absent), fallback=reason)


def _past(environment: Environment, trainer: Trainer, version: Version, absent: str) -> Accepted:
    """What the history says of a trainer; `absent` is kept only if that release lacks it."""
    nearest = releases.nearest("trl", version)
    if nearest and releases.fields(nearest, trainer.config):
        absent = ""
    else:
        lives = releases.exported(trainer.config)
        ended = [one.last for one in lives if one.gone_in and one.gone_in <= version]
        nearest = ended[-1] if ended else lives[0].first if lives else None
        absent += f" (the last with it is {nearest})" if ended else f" (it came with {nearest})"
    if nearest is None:
        return Accepted({}, {}, None, "none: no known trl has it", absent=absent)
    classes, unknown = releases.command(nearest, trainer.name) or (
        (BESIDE[0], trainer.config, BESIDE[1]),
        None,
    )
    fields: dict[str, Field] = {}
    for name in classes:
        fields.update(_past_fields(environment, nearest, name))
    config = _past_fields(environment, nearest, trainer.config)
    return Accepted(fields, config, unknown, f"history, trl {nearest}", absent=absent)


def _past_fields(environment: Environment, trl: Version, name: str) -> dict[str, Field]:
    own = releases.fields(trl, name) or {}
    fields = {key: Field(key, default, owner=name) for key, default in own.items()}
    if not releases.extends(trl, name):
        return fields
    known = sources(environment)
    try:
        found = known.definition(*TRAINING_ARGUMENTS)
        inherited = known.fields(found) if found else None
    except Damaged:
        inherited = None
    return {**(inherited or _training_arguments(environment.version("transformers"))), **fields}


def _training_arguments(transformers: Version | None) -> dict[str, Field]:
    version = transformers or releases.newest_release("transformers")
    known = releases.training_arguments(version) or {}
    owner = TRAINING_ARGUMENTS[1]
    return {name: Field(name, default, owner=owner) for name, default in known.items()}
