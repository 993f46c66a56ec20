"""The arguments that the target's TRL accepts: from its installed sources, else from our data.

- our data: `releases` with `steps`, `pairs`, `advisories`, `vllm_releases`, `launcher_keys`
- sources, read without importing them: `module`, `headers`, `classes`, `callables`, `surface`
- of TRL: `command`, `exports`, `offered`, `unread`; of names that are gone: `lost_names`,
  `found_again`
- of transformers: `auto_classes`, `model_types`, `generation`, `loading_words`; of vLLM: `vllm`,
  `vllm_classes`, `architectures`; of launchers: `accelerate`, `deepspeed`
- what is `installed` in part, and what the probes of a run import (`imports`)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace
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
"""Classes that TRL's example scripts parse besides the config of a trainer without a command."""

PARSER_KEYS = frozenset({"env"})
"""Keys that TRL's parser uses itself: `env` sets environment variables."""


class Accepted(Struct, frozen=True):
    """The keys that a run file of one trainer can have.

    `fields` are all of them, `config` those of the trainer's own config. `unknown` is what
    `trl … --config` does with any other key, None if there is no such command. `source`
    says where the keys come from ("installed trl 1.16.0"), `fallback` why not from installed
    sources. `absent` is set where the target's trl has no such trainer: the fields are then those
    of the last release that had it, or empty if no release had it.
    """

    fields: Fields
    config: Fields
    unknown: command.Unknown | None
    source: str
    fallback: str = ""
    absent: str = ""


@lru_cache(maxsize=32)
def sources(environment: Environment) -> Sources:
    """The sources of trl, transformers and accelerate, as far as they are installed."""
    folders = {name: environment.source(name) for name in PACKAGES}
    return Sources({name: folder for name, folder in folders.items() if folder})


@lru_cache(maxsize=256)
def config_fields(environment: Environment, name: str) -> Fields | None:
    """The fields of a config class of the installed trl by name, with inherited fields.

    None if that trl has no such class. Raises `Unavailable` if the sources cannot be read.
    """
    packages = trl_sources(environment)
    home = exports.home(packages, name)
    definition = packages.definition(home, name) if home else None
    return _fields(environment, definition) if definition else None


@lru_cache(maxsize=256)
def cli_fields(environment: Environment, trainer: Trainer) -> Accepted | None:
    """The keys that `trl NAME --config` of the installed trl accepts; None without a command.

    Keys for `accelerate launch` are not among the fields (`launch_options`). Raises
    `Unavailable` if the sources cannot be read.
    """
    parsed_command = command.command(trl_sources(environment), trainer.name)
    if parsed_command is None:
        return None
    fields_by_class = [_fields(environment, definition) for definition in parsed_command.classes]
    return _accepted(environment, trainer, fields_by_class, parsed_command.unknown)


def launch_options(environment: Environment) -> Mapping[str, bool]:
    """The keys that `accelerate launch` accepts, and whether each takes a value.

    A key without a value cannot be used in a run file (`command.launch_options`).
    """
    try:
        options = command.launch_options(sources(environment))
    except Unavailable:
        options = dict(releases.launch_options())
    return {**options, "accelerate_config": True}


@lru_cache(maxsize=256)
def accepted(environment: Environment, trainer: Trainer) -> Accepted:
    """The keys that the target's trl accepts for a trainer, from the best source available."""
    try:
        keys = cli_fields(environment, trainer) or _without_command(environment, trainer)
    except Unavailable as reason:
        return _from_releases(environment, trainer, str(reason))
    if keys.config:
        return keys
    version = environment.version("trl")
    absent = f"trl {version} has no {trainer.trainer}"
    return _at_release(environment, trainer, version or releases.newest_release(), absent)


def _without_command(environment: Environment, trainer: Trainer) -> Accepted:
    names = (BESIDE[0], trainer.config, BESIDE[1])
    parts = [config_fields(environment, name) or {} for name in names]
    return _accepted(environment, trainer, parts, None)


def _accepted(
    environment: Environment,
    trainer: Trainer,
    fields_by_class: Sequence[Fields],
    unknown: command.Unknown | None,
) -> Accepted:
    fields = {
        name: field
        for fields_of_class in fields_by_class
        for name, field in fields_of_class.items()
        if field.init
    }
    config = config_fields(environment, trainer.config) or {}
    version = environment.version("trl") or "of unknown version"
    return Accepted(fields, config, unknown, f"installed trl {version}")


def _fields(environment: Environment, definition: Definition) -> Fields:
    packages = sources(environment)
    own_fields = packages.fields(definition)
    if TRAINING_ARGUMENTS in packages.outside(definition):
        return {**_training_arguments(environment.version("transformers")), **own_fields}
    return own_fields


def trl_sources(environment: Environment) -> Sources:
    """The same, where they are those of the target's trl. Raises `Unavailable`."""
    packages = sources(environment)
    if "trl" in packages.packages:
        if packages.module("trl") is None:
            raise Damaged(f"{packages.packages['trl']} has no __init__.py")
        return packages
    stated_version, installed_version = (
        environment.version("trl"),
        environment.installed_version("trl"),
    )
    if stated_version and installed_version:
        raise Unavailable(
            f"trl {stated_version} was given with --with, trl {installed_version} is installed"
        )
    raise Unavailable(
        "trl is not installed here" if not installed_version else "trl's sources are missing"
    )


def _from_releases(environment: Environment, trainer: Trainer, reason: str) -> Accepted:
    version = environment.version("trl")
    if version is None:
        newest = _at_release(environment, trainer, releases.newest_release(), "")
        source = (
            f"{newest.source} (the newest known release: no trl is installed or given with --with)"
        )
        return replace(newest, source=source, fallback=reason, absent="")
    if releases.line("trl").nearest(version) is None:
        return Accepted(
            {}, {}, None, f"none: trl {version} is older than the known releases", reason
        )
    absent = f"trl {version} has no {trainer.trainer}"
    return replace(_at_release(environment, trainer, version, absent), fallback=reason)


def _at_release(
    environment: Environment, trainer: Trainer, version: Version, absent: str
) -> Accepted:
    """The keys in our data; `absent` is kept only if that release lacks the trainer."""
    nearest = releases.line("trl").nearest(version)
    if nearest and releases.fields(nearest, trainer.config):
        absent = ""
    else:
        lifetimes = releases.exported(trainer.config)
        last_releases = [
            lifetime.last
            for lifetime in lifetimes
            if lifetime.gone_in and lifetime.gone_in <= version
        ]
        nearest = last_releases[-1] if last_releases else lifetimes[0].first if lifetimes else None
        absent += (
            f" (the last with it is {nearest})" if last_releases else f" (it came with {nearest})"
        )
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
    return Accepted(
        fields, config, unknown, f"arguments recorded from trl {nearest}", absent=absent
    )


def _past_fields(environment: Environment, trl: Version, name: str) -> dict[str, Field]:
    own_fields = releases.fields(trl, name) or {}
    fields = {key: Field(key, default, owner=name) for key, default in own_fields.items()}
    if not releases.extends(trl, name):
        return fields
    return {**training_arguments(environment)[0], **fields}


def training_arguments(environment: Environment) -> tuple[Fields, str]:
    """The fields of the target's own TrainingArguments, and the source that they come from."""
    packages, version = sources(environment), environment.version("transformers")
    try:
        definition = packages.definition(*TRAINING_ARGUMENTS)
        installed = packages.fields(definition) if definition else None
    except Damaged:
        installed = None
    if installed:
        return installed, f"installed transformers {version}"
    known = version or releases.newest_release("transformers")
    return _training_arguments(version), f"arguments recorded from transformers {known}"


def _training_arguments(transformers: Version | None) -> dict[str, Field]:
    version = transformers or releases.newest_release("transformers")
    defaults = releases.training_arguments(version) or {}
    owner = TRAINING_ARGUMENTS[1]
    return {name: Field(name, default, owner=owner) for name, default in defaults.items()}
